// The part of UserNotifications that the SDK uses and that the simulation declares.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

// Apple's is not const; on Linux Swift has no type for a pointer to an autoreleasing variable. It imports both as throws.
#define UN_ERROR_OUT NSError *const __autoreleasing _Nullable *_Nullable

@class UNNotification, UNNotificationAttachment, UNNotificationCategory, UNNotificationContent, UNNotificationRequest;
@class UNNotificationResponse, UNNotificationSettings, UNNotificationSound, UNNotificationTrigger, UNUserNotificationCenter;

// MARK: Errors

extern NSString *const UNErrorDomain API_AVAILABLE(ios(10.0), macos(10.14));

typedef NS_ERROR_ENUM(UNErrorCode, UNErrorDomain) {
    UNErrorCodeNotificationsNotAllowed = 1,
    UNErrorCodeAttachmentInvalidURL = 100,
    UNErrorCodeAttachmentUnrecognizedType = 101,
    UNErrorCodeAttachmentInvalidFileSize = 102,
} API_AVAILABLE(ios(10.0), macos(10.14));

// MARK: Settings

typedef NS_ENUM(NSInteger, UNAuthorizationStatus) {
    UNAuthorizationStatusNotDetermined = 0,
    UNAuthorizationStatusDenied = 1,
    UNAuthorizationStatusAuthorized = 2,
    UNAuthorizationStatusProvisional API_AVAILABLE(ios(12.0), macos(10.14)) = 3,
    UNAuthorizationStatusEphemeral API_AVAILABLE(ios(14.0)) API_UNAVAILABLE(macos) = 4,
} API_AVAILABLE(ios(10.0), macos(10.14));

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationSettings : NSObject <NSCopying, NSSecureCoding>
@property (readonly) UNAuthorizationStatus authorizationStatus;
- (instancetype)init NS_UNAVAILABLE;
@end

// MARK: Content

typedef NSString *UNNotificationSoundName NS_TYPED_EXTENSIBLE_ENUM;

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationSound : NSObject <NSCopying, NSSecureCoding>
@property (class, copy, readonly) UNNotificationSound *defaultSound;
+ (instancetype)soundNamed:(UNNotificationSoundName)name;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationAttachment : NSObject <NSCopying, NSSecureCoding>
@property (copy, readonly) NSString *identifier;
@property (copy, readonly) NSURL *URL;
@property (copy, readonly) NSString *type;
+ (nullable instancetype)attachmentWithIdentifier:(NSString *)identifier
                                              URL:(NSURL *)URL
                                          options:(nullable NSDictionary *)options
                                            error:(UN_ERROR_OUT)error;
- (instancetype)init NS_UNAVAILABLE;
@end

typedef NS_ENUM(NSUInteger, UNNotificationInterruptionLevel) {
    UNNotificationInterruptionLevelPassive,
    UNNotificationInterruptionLevelActive,
    UNNotificationInterruptionLevelTimeSensitive,
    UNNotificationInterruptionLevelCritical,
} API_AVAILABLE(ios(15.0), macos(12.0));

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationContent : NSObject <NSCopying, NSMutableCopying, NSSecureCoding>
@property (copy, readonly) NSArray<UNNotificationAttachment *> *attachments;
@property (copy, readonly, nullable) NSNumber *badge;
@property (copy, readonly) NSString *body;
@property (copy, readonly) NSString *categoryIdentifier;
@property (readonly) UNNotificationInterruptionLevel interruptionLevel API_AVAILABLE(ios(15.0), macos(12.0));
@property (copy, readonly, nullable) UNNotificationSound *sound;
@property (copy, readonly) NSString *subtitle;
@property (copy, readonly) NSString *threadIdentifier;
@property (copy, readonly) NSString *title;
@property (copy, readonly) NSDictionary *userInfo;
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNMutableNotificationContent : UNNotificationContent
@property (copy) NSArray<UNNotificationAttachment *> *attachments;
@property (copy, nullable) NSNumber *badge;
@property (copy) NSString *body;
@property (copy) NSString *categoryIdentifier;
@property UNNotificationInterruptionLevel interruptionLevel API_AVAILABLE(ios(15.0), macos(12.0));
@property (copy, nullable) UNNotificationSound *sound;
@property (copy) NSString *subtitle;
@property (copy) NSString *threadIdentifier;
@property (copy) NSString *title;
@property (copy) NSDictionary *userInfo;
@end

// MARK: Notifications

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationTrigger : NSObject <NSCopying, NSSecureCoding>
@property (readonly) BOOL repeats;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNPushNotificationTrigger : UNNotificationTrigger
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationRequest : NSObject <NSCopying, NSSecureCoding>
@property (copy, readonly) NSString *identifier;
@property (copy, readonly) UNNotificationContent *content;
@property (copy, readonly, nullable) UNNotificationTrigger *trigger;
+ (instancetype)requestWithIdentifier:(NSString *)identifier
                              content:(UNNotificationContent *)content
                              trigger:(nullable UNNotificationTrigger *)trigger;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotification : NSObject <NSCopying, NSSecureCoding>
@property (copy, readonly) NSDate *date;
@property (copy, readonly) UNNotificationRequest *request;
- (instancetype)init NS_UNAVAILABLE;
@end

extern NSString *const UNNotificationDefaultActionIdentifier API_AVAILABLE(ios(10.0), macos(10.14));
extern NSString *const UNNotificationDismissActionIdentifier API_AVAILABLE(ios(10.0), macos(10.14));

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationResponse : NSObject <NSCopying, NSSecureCoding>
@property (copy, readonly) UNNotification *notification;
@property (copy, readonly) NSString *actionIdentifier;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNTextInputNotificationResponse : UNNotificationResponse
@property (copy, readonly) NSString *userText;
@end

// MARK: Actions and categories

typedef NS_OPTIONS(NSUInteger, UNNotificationActionOptions) {
    UNNotificationActionOptionAuthenticationRequired = 1 << 0,
    UNNotificationActionOptionDestructive = 1 << 1,
    UNNotificationActionOptionForeground = 1 << 2,
} API_AVAILABLE(ios(10.0), macos(10.14));

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationAction : NSObject <NSCopying, NSSecureCoding>
@property (copy, readonly) NSString *identifier;
@property (copy, readonly) NSString *title;
@property (readonly) UNNotificationActionOptions options;
+ (instancetype)actionWithIdentifier:(NSString *)identifier
                               title:(NSString *)title
                             options:(UNNotificationActionOptions)options;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNTextInputNotificationAction : UNNotificationAction
@property (copy, readonly) NSString *textInputButtonTitle;
@property (copy, readonly) NSString *textInputPlaceholder;
+ (instancetype)actionWithIdentifier:(NSString *)identifier
                               title:(NSString *)title
                             options:(UNNotificationActionOptions)options
                textInputButtonTitle:(NSString *)textInputButtonTitle
                textInputPlaceholder:(NSString *)textInputPlaceholder;
@end

typedef NS_OPTIONS(NSUInteger, UNNotificationCategoryOptions) {
    UNNotificationCategoryOptionCustomDismissAction = 1 << 0,
    UNNotificationCategoryOptionAllowInCarPlay API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos) = 1 << 1,
    UNNotificationCategoryOptionHiddenPreviewsShowTitle API_AVAILABLE(ios(11.0), macos(10.14)) = 1 << 2,
    UNNotificationCategoryOptionHiddenPreviewsShowSubtitle API_AVAILABLE(ios(11.0), macos(10.14)) = 1 << 3,
} API_AVAILABLE(ios(10.0), macos(10.14));

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationCategory : NSObject <NSCopying, NSSecureCoding>
@property (copy, readonly) NSString *identifier;
@property (copy, readonly) NSArray<UNNotificationAction *> *actions;
@property (copy, readonly) NSArray<NSString *> *intentIdentifiers;
@property (readonly) UNNotificationCategoryOptions options;
+ (instancetype)categoryWithIdentifier:(NSString *)identifier
                               actions:(NSArray<UNNotificationAction *> *)actions
                     intentIdentifiers:(NSArray<NSString *> *)intentIdentifiers
                               options:(UNNotificationCategoryOptions)options;
- (instancetype)init NS_UNAVAILABLE;
@end

// MARK: The center

typedef NS_OPTIONS(NSUInteger, UNAuthorizationOptions) {
    UNAuthorizationOptionBadge = 1 << 0,
    UNAuthorizationOptionSound = 1 << 1,
    UNAuthorizationOptionAlert = 1 << 2,
    UNAuthorizationOptionProvisional API_AVAILABLE(ios(12.0), macos(10.14)) = 1 << 6,
} API_AVAILABLE(ios(10.0), macos(10.14));

typedef NS_OPTIONS(NSUInteger, UNNotificationPresentationOptions) {
    UNNotificationPresentationOptionBadge = 1 << 0,
    UNNotificationPresentationOptionSound = 1 << 1,
    UNNotificationPresentationOptionList API_AVAILABLE(ios(14.0), macos(11.0)) = 1 << 3,
    UNNotificationPresentationOptionBanner API_AVAILABLE(ios(14.0), macos(11.0)) = 1 << 4,
} API_AVAILABLE(ios(10.0), macos(10.14));

API_AVAILABLE(ios(10.0), macos(10.14))
@protocol UNUserNotificationCenterDelegate <NSObject>
@optional
- (void)userNotificationCenter:(UNUserNotificationCenter *)center
       willPresentNotification:(UNNotification *)notification
         withCompletionHandler:(void (NS_SWIFT_SENDABLE ^)(UNNotificationPresentationOptions options))completionHandler
    API_AVAILABLE(ios(10.0), macos(10.14));
- (void)userNotificationCenter:(UNUserNotificationCenter *)center
    didReceiveNotificationResponse:(UNNotificationResponse *)response
             withCompletionHandler:(void (NS_SWIFT_SENDABLE ^)(void))completionHandler
    API_AVAILABLE(ios(10.0), macos(10.14));
- (void)userNotificationCenter:(UNUserNotificationCenter *)center
    openSettingsForNotification:(nullable UNNotification *)notification API_AVAILABLE(ios(12.0), macos(10.14));
@end

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNUserNotificationCenter : NSObject
@property (weak, nullable) id<UNUserNotificationCenterDelegate> delegate;
+ (UNUserNotificationCenter *)currentNotificationCenter;
- (instancetype)init NS_UNAVAILABLE;
- (void)requestAuthorizationWithOptions:(UNAuthorizationOptions)options
                      completionHandler:(void (NS_SWIFT_SENDABLE ^)(BOOL granted, NSError *_Nullable error))completionHandler;
- (void)setNotificationCategories:(NSSet<UNNotificationCategory *> *)categories;
- (void)getNotificationCategoriesWithCompletionHandler:
    (void (NS_SWIFT_SENDABLE ^)(NSSet<UNNotificationCategory *> *categories))completionHandler;
- (void)getNotificationSettingsWithCompletionHandler:
    (void (NS_SWIFT_SENDABLE ^)(UNNotificationSettings *settings))completionHandler;
- (void)getDeliveredNotificationsWithCompletionHandler:
    (void (NS_SWIFT_SENDABLE ^)(NSArray<UNNotification *> *notifications))completionHandler;
- (void)removeDeliveredNotificationsWithIdentifiers:(NSArray<NSString *> *)identifiers;
- (void)removeAllDeliveredNotifications;
- (void)setBadgeCount:(NSInteger)newBadgeCount
    withCompletionHandler:(void (NS_SWIFT_SENDABLE ^_Nullable)(NSError *_Nullable error))completionHandler
    API_AVAILABLE(ios(16.0), macos(13.0));
@end

// MARK: Service extensions

API_AVAILABLE(ios(10.0), macos(10.14))
@interface UNNotificationServiceExtension : NSObject
- (void)didReceiveNotificationRequest:(UNNotificationRequest *)request
                   withContentHandler:(void (^)(UNNotificationContent *contentToDeliver))contentHandler;
- (void)serviceExtensionTimeWillExpire;
@end

NS_ASSUME_NONNULL_END
