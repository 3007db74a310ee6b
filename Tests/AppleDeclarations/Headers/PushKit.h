// The part of PushKit that the SDK uses and that the simulation declares.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

typedef NSString *PKPushType NS_TYPED_ENUM API_AVAILABLE(ios(8.0), macos(10.15));
extern PKPushType const PKPushTypeVoIP API_AVAILABLE(ios(9.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(ios(8.0), macos(10.15))
@interface PKPushCredentials : NSObject
@property (copy, readonly) PKPushType type;
@property (copy, readonly) NSData *token;
@end

API_AVAILABLE(ios(8.0), macos(10.15))
@interface PKPushPayload : NSObject
@property (copy, readonly) PKPushType type;
@property (copy, readonly) NSDictionary *dictionaryPayload;
@end

@class PKPushRegistry;

API_AVAILABLE(ios(8.0), macos(10.15))
@protocol PKPushRegistryDelegate <NSObject>
@required
- (void)pushRegistry:(PKPushRegistry *)registry
    didUpdatePushCredentials:(PKPushCredentials *)pushCredentials
                     forType:(PKPushType)type NS_SWIFT_NAME(pushRegistry(_:didUpdate:for:));
@optional
- (void)pushRegistry:(PKPushRegistry *)registry
    didReceiveIncomingPushWithPayload:(PKPushPayload *)payload
                              forType:(PKPushType)type
                withCompletionHandler:(void (NS_SWIFT_SENDABLE ^)(void))completion
    API_AVAILABLE(ios(11.0), macos(10.15))
    NS_SWIFT_NAME(pushRegistry(_:didReceiveIncomingPushWith:for:completion:));
- (void)pushRegistry:(PKPushRegistry *)registry
    didInvalidatePushTokenForType:(PKPushType)type NS_SWIFT_NAME(pushRegistry(_:didInvalidatePushTokenFor:));
@end

API_AVAILABLE(ios(8.0), macos(10.15))
@interface PKPushRegistry : NSObject
@property (weak, nullable) id<PKPushRegistryDelegate> delegate;
@property (copy, nullable) NSSet<PKPushType> *desiredPushTypes;
- (nullable NSData *)pushTokenForType:(PKPushType)type NS_SWIFT_NAME(pushToken(for:));
- (instancetype)initWithQueue:(nullable dispatch_queue_t)queue NS_DESIGNATED_INITIALIZER;
- (instancetype)init NS_UNAVAILABLE;
@end

NS_ASSUME_NONNULL_END
