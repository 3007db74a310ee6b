// Added to each module that is checked: what its own declarations must find before Foundation's of Linux, whose classes are
// Swift's and no Objective-C.

public import AppleFoundation
import AppleShims
public import Foundation
public import ObjectiveC

public typealias NSObject = ObjectiveC.NSObject
public typealias NSObjectProtocol = ObjectiveC.NSObjectProtocol
public typealias NSCoder = AppleFoundation.NSCoder
public typealias NSCoding = AppleFoundation.NSCoding
public typealias NSSecureCoding = AppleFoundation.NSSecureCoding
public typealias NSCopying = AppleFoundation.NSCopying
public typealias NSDictionary = Foundation.NSDictionary

extension NSCoder {
    /// The type's object, from a class that is Swift's here.
    func decodeObject<Object>(of type: Object.Type, forKey key: String) -> Object? { nil }
}

extension FileManager {
    /// Foundation has it on Apple's systems alone.
    func containerURL(forSecurityApplicationGroupIdentifier identifier: String) -> URL? { nil }
}
