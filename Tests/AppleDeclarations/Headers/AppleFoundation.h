// The classes of Foundation that the frameworks' declarations name. Swift's own Foundation on Linux is no Objective-C, so
// each names the Swift type that the importer makes of it; Apple's API notes say the same.
#pragma once
#import "ObjectiveC.h"

NS_ASSUME_NONNULL_BEGIN

#define CARILLON_BRIDGED(type) __attribute__((swift_bridge(type)))

CARILLON_BRIDGED("Swift.String")
@interface NSString : NSObject
@end
CARILLON_BRIDGED("Swift.Array")
@interface NSArray<__covariant Element> : NSObject
@end
CARILLON_BRIDGED("Swift.Set")
@interface NSSet<__covariant Element> : NSObject
@end
CARILLON_BRIDGED("Swift.Dictionary")
@interface NSDictionary<__covariant Key, __covariant Value> : NSObject
@end
CARILLON_BRIDGED("Swift.Error")
@interface NSError : NSObject
@end
CARILLON_BRIDGED("FoundationEssentials.Data")
@interface NSData : NSObject
@end
CARILLON_BRIDGED("FoundationEssentials.Date")
@interface NSDate : NSObject
@end
CARILLON_BRIDGED("FoundationEssentials.URL")
@interface NSURL : NSObject
@end
CARILLON_BRIDGED("FoundationEssentials.UUID")
@interface NSUUID : NSObject
@end
CARILLON_BRIDGED("Foundation.NSNumber")
@interface NSNumber : NSObject
@end
CARILLON_BRIDGED("FoundationNetworking.URLRequest")
@interface NSURLRequest : NSObject
@end
CARILLON_BRIDGED("Foundation.Bundle")
@interface NSBundle : NSObject
@end

@interface NSCoder : NSObject
- (void)encodeObject:(nullable id)object forKey:(NSString *)key NS_SWIFT_NAME(encode(_:forKey:));
- (nullable id)decodeObjectForKey:(NSString *)key NS_SWIFT_NAME(decodeObject(forKey:));
@end
CARILLON_BRIDGED("AppleShims.NotificationName")
@interface CarillonNotificationName : NSObject
@end
#define NSNotificationName CarillonNotificationName *
CARILLON_BRIDGED("Dispatch.DispatchQueue")
@interface CarillonDispatchQueue : NSObject
@end
#define dispatch_queue_t CarillonDispatchQueue *

// Swift's Foundation has these as structures of its own; as macros they are no second declaration of the name.
CARILLON_BRIDGED("Foundation.CGFloat")
@interface CarillonFloat : NSObject
@end
#define CGFloat CarillonFloat *
CARILLON_BRIDGED("Foundation.CGPoint")
@interface CarillonPoint : NSObject
@end
#define CGPoint CarillonPoint *
CARILLON_BRIDGED("Foundation.CGSize")
@interface CarillonSize : NSObject
@end
#define CGSize CarillonSize *
CARILLON_BRIDGED("Foundation.CGRect")
@interface CarillonRect : NSObject
@end
#define CGRect CarillonRect *

@interface NSObject (Description)
@property (readonly, copy) NSString *description;
@end

@protocol NSCopying
@end
@protocol NSMutableCopying
@end
@protocol NSCoding
- (void)encodeWithCoder:(NSCoder *)coder NS_SWIFT_NAME(encode(with:));
- (nullable instancetype)initWithCoder:(NSCoder *)coder;
@end
@protocol NSSecureCoding <NSCoding>
@property (class, readonly) BOOL supportsSecureCoding;
@end

NS_ASSUME_NONNULL_END
