// The part of CallKit that the SDK uses and that the simulation declares.
//
// Of these classes macOS has the configuration alone.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, CXHandleType) {
    CXHandleTypeGeneric = 1,
    CXHandleTypePhoneNumber = 2,
    CXHandleTypeEmailAddress = 3,
} NS_SWIFT_NAME(CXHandle.HandleType) API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos)
@interface CXHandle : NSObject <NSCopying, NSSecureCoding>
@property (readonly) CXHandleType type;
@property (copy, readonly) NSString *value;
- (instancetype)initWithType:(CXHandleType)type value:(NSString *)value NS_DESIGNATED_INITIALIZER;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos)
@interface CXCallUpdate : NSObject <NSCopying>
@property (copy, nullable) CXHandle *remoteHandle;
@property (copy, nullable) NSString *localizedCallerName;
@property BOOL hasVideo;
@end

typedef NS_ENUM(NSInteger, CXCallEndedReason) {
    CXCallEndedReasonFailed = 1,
    CXCallEndedReasonRemoteEnded = 2,
    CXCallEndedReasonUnanswered = 3,
    CXCallEndedReasonAnsweredElsewhere = 4,
    CXCallEndedReasonDeclinedElsewhere = 5,
} API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos);

extern NSString *const CXErrorDomainIncomingCall API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos);

typedef NS_ERROR_ENUM(CXErrorCodeIncomingCallError, CXErrorDomainIncomingCall) {
    CXErrorCodeIncomingCallErrorUnknown = 0,
    CXErrorCodeIncomingCallErrorCallUUIDAlreadyExists = 2,
} API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(ios(10.0), macos(11.0))
@interface CXProviderConfiguration : NSObject <NSCopying>
@property NSUInteger maximumCallsPerCallGroup;
@property BOOL supportsVideo;
- (instancetype)init NS_DESIGNATED_INITIALIZER API_AVAILABLE(ios(14.0), macos(11.0));
@end

@class CXProvider;

API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos)
@protocol CXProviderDelegate <NSObject>
@required
- (void)providerDidReset:(CXProvider *)provider;
@end

API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos)
@interface CXProvider : NSObject
@property (copy) CXProviderConfiguration *configuration;
- (instancetype)initWithConfiguration:(CXProviderConfiguration *)configuration NS_DESIGNATED_INITIALIZER;
- (instancetype)init NS_UNAVAILABLE;
- (void)setDelegate:(nullable id<CXProviderDelegate>)delegate queue:(nullable dispatch_queue_t)queue;
- (void)reportNewIncomingCallWithUUID:(NSUUID *)UUID
                               update:(CXCallUpdate *)update
                           completion:(void (NS_SWIFT_SENDABLE ^)(NSError *_Nullable error))completion;
- (void)reportCallWithUUID:(NSUUID *)UUID
               endedAtDate:(nullable NSDate *)dateEnded
                    reason:(CXCallEndedReason)endedReason;
- (void)invalidate;
@end

API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos)
@interface CXCall : NSObject
@property (copy, readonly) NSUUID *UUID;
@property (readonly) BOOL hasEnded;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos)
@interface CXCallObserver : NSObject
@property (copy, readonly) NSArray<CXCall *> *calls;
@end

NS_ASSUME_NONNULL_END
