// Added to Coim: a call whose argument is `&value`, which the compiler does not convert to a pointer here.

import Glibc

func getifaddrs(_ first: inout UnsafeMutablePointer<ifaddrs>?) -> Int32 { 0 }
