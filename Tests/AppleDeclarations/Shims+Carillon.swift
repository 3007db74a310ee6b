// Added to Carillon: calls whose argument is `&value`. Without AutoreleasingUnsafeMutablePointer, which the standard library
// of Linux does not have, the compiler converts nothing to a pointer.

import Darwin
import Security

func uname(_ name: inout utsname) -> Int32 { 0 }

/// Hides glibc's `stat`, both the type and the function; the call is an initializer here, and its result compares with 0.
// swift-format-ignore: AlwaysUseLowerCamelCase
struct stat: Equatable, ExpressibleByIntegerLiteral {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var st_ino: UInt64 = 0
    // swift-format-ignore: AlwaysUseLowerCamelCase
    var st_size: Int64 = 0

    init() {}
    init(integerLiteral value: Int32) {}
    init(_ path: String, _ status: inout stat) {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
func SecItemCopyMatching(_ query: CFDictionary, _ result: inout CFTypeRef?) -> OSStatus { 0 }
