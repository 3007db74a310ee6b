// The calls of Darwin that the SDK makes and whose types differ from glibc's. Foundation on Linux exports glibc, so a
// second declaration with equal types (close, fsync, write, flock, usleep, errno, the constants) would be ambiguous.
//
// The type-check converts no argument to a pointer, because the standard library has no
// AutoreleasingUnsafeMutablePointer here. So a path is an NSString, and uname(_:) and stat(_:_:), which take `&value`,
// are not here. In C each function has a name of its own, apart from glibc's.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

typedef unsigned short CarillonMode NS_SWIFT_NAME(mode_t);

struct NS_SWIFT_NAME(utsname) CarillonSystemName {
    char sysname[256];
    char nodename[256];
    char release[256];
    char version[256];
    char machine[256];
};

int CarillonOpen(NSString *path, int flags, CarillonMode mode) NS_SWIFT_NAME(open(_:_:_:));
int CarillonUnlink(NSString *path) NS_SWIFT_NAME(unlink(_:));
int CarillonRename(NSString *from, NSString *to) NS_SWIFT_NAME(rename(_:_:));

NS_ASSUME_NONNULL_END
