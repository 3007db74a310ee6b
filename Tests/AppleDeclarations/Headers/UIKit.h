// UIKit, as far as the SDK and the examples use it and the simulation declares it.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

@class UIAction;
@class UIApplication;
@class UIBarButtonItem;
@class UIButton;
@class UIControl;
@class UINavigationController;
@class UINavigationItem;
@class UITabBarItem;
@class UIScene;
@class UISceneConfiguration;
@class UISceneConnectionOptions;
@class UISceneSession;
@class UIWindowScene;
@class UIView;
@class UIWindow;
@class UIViewController;
@class UNNotificationResponse;
@protocol UIApplicationDelegate;

// Accessibility is declared for every object.

@interface NSObject (UIAccessibility)
@property (nullable, nonatomic, copy) NSString *accessibilityLabel API_AVAILABLE(ios(3.0)) NS_SWIFT_UI_ACTOR;
@property (nonatomic) BOOL accessibilityViewIsModal API_AVAILABLE(ios(5.0)) NS_SWIFT_UI_ACTOR;
@end

// Responders, the app and its delegate.

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIResponder : NSObject
@end

typedef NSString *UIApplicationLaunchOptionsKey NS_TYPED_ENUM NS_SWIFT_NAME(UIApplication.LaunchOptionsKey);
typedef NSString *UIApplicationOpenExternalURLOptionsKey NS_TYPED_ENUM
    NS_SWIFT_NAME(UIApplication.OpenExternalURLOptionsKey);

extern UIApplicationLaunchOptionsKey const UIApplicationLaunchOptionsRemoteNotificationKey
    API_DEPRECATED("", ios(3.0, 26.0))
    NS_SWIFT_NAME(UIApplicationLaunchOptionsKey.remoteNotification);

typedef NS_ENUM(NSInteger, UIApplicationState) {
    UIApplicationStateActive,
    UIApplicationStateInactive,
    UIApplicationStateBackground
} API_AVAILABLE(ios(4.0)) NS_SWIFT_NAME(UIApplication.State);

typedef NS_ENUM(NSUInteger, UIBackgroundFetchResult) {
    UIBackgroundFetchResultNewData,
    UIBackgroundFetchResultNoData,
    UIBackgroundFetchResultFailed
} API_AVAILABLE(ios(7.0));

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIApplication : UIResponder
@property (class, nonatomic, readonly) UIApplication *sharedApplication NS_EXTENSION_UNAVAILABLE_IOS("")
    NS_SWIFT_NAME(shared);
// Constants in Apple's headers, as UIApplicationDidBecomeActiveNotification: the importer bridges no constant's type.
@property (class, nonatomic, readonly) NSNotificationName didBecomeActiveNotification NS_SWIFT_NONISOLATED;
@property (class, nonatomic, readonly) NSNotificationName willEnterForegroundNotification API_AVAILABLE(ios(4.0))
    NS_SWIFT_NONISOLATED;
@property (nullable, nonatomic, assign) id<UIApplicationDelegate> delegate;
@property (nonatomic, readonly) UIApplicationState applicationState API_AVAILABLE(ios(4.0));
@property (nonatomic, readonly, getter=isRegisteredForRemoteNotifications) BOOL registeredForRemoteNotifications
    API_AVAILABLE(ios(8.0)) NS_SWIFT_NAME(isRegisteredForRemoteNotifications);
@property (nonatomic, readonly) NSSet<UIScene *> *connectedScenes API_AVAILABLE(ios(13.0));
@property (nonatomic) NSInteger applicationIconBadgeNumber API_DEPRECATED("", ios(2.0, 17.0));
- (void)registerForRemoteNotifications API_AVAILABLE(ios(8.0));
- (void)unregisterForRemoteNotifications API_AVAILABLE(ios(3.0));
- (void)openURL:(NSURL *)url
              options:(NSDictionary<UIApplicationOpenExternalURLOptionsKey, id> *)options
    completionHandler:(void (^_Nullable NS_SWIFT_UI_ACTOR_BLOCK NS_SWIFT_SENDABLE)(BOOL success))completion
    API_AVAILABLE(ios(10.0)) NS_EXTENSION_UNAVAILABLE_IOS("");
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@protocol UIApplicationDelegate <NSObject>
@optional
- (BOOL)application:(UIApplication *)application
    didFinishLaunchingWithOptions:(nullable NSDictionary<UIApplicationLaunchOptionsKey, id> *)launchOptions
    API_AVAILABLE(ios(3.0));
- (void)application:(UIApplication *)application
    didRegisterForRemoteNotificationsWithDeviceToken:(NSData *)deviceToken API_AVAILABLE(ios(3.0));
- (void)application:(UIApplication *)application
    didFailToRegisterForRemoteNotificationsWithError:(NSError *)error API_AVAILABLE(ios(3.0));
- (void)application:(UIApplication *)application
    didReceiveRemoteNotification:(NSDictionary *)userInfo
          fetchCompletionHandler:(void (^)(UIBackgroundFetchResult result))completionHandler API_AVAILABLE(ios(7.0));
- (UISceneConfiguration *)application:(UIApplication *)application
    configurationForConnectingSceneSession:(UISceneSession *)connectingSceneSession
                                   options:(UISceneConnectionOptions *)options API_AVAILABLE(ios(13.0))
    NS_SWIFT_NAME(application(_:configurationForConnecting:options:));
- (void)applicationDidBecomeActive:(UIApplication *)application API_DEPRECATED("", ios(2.0, 26.0));
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIDevice : NSObject
@property (class, nonatomic, readonly) UIDevice *currentDevice NS_SWIFT_NAME(current);
@property (nonatomic, readonly, strong) NSString *systemName;
@property (nonatomic, readonly, strong) NSString *systemVersion;
@end

// Scenes.

@protocol UISceneDelegate;

typedef NS_ENUM(NSInteger, UISceneActivationState) {
    UISceneActivationStateUnattached = -1,
    UISceneActivationStateForegroundActive,
    UISceneActivationStateForegroundInactive,
    UISceneActivationStateBackground
} API_AVAILABLE(ios(13.0)) NS_SWIFT_NAME(UIScene.ActivationState);

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@interface UIScene : UIResponder
@property (nonatomic, readonly) UISceneActivationState activationState;
@property (nullable, nonatomic, strong) id<UISceneDelegate> delegate;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@interface UIWindowScene : UIScene
@property (nonatomic, readonly) NSArray<UIWindow *> *windows;
@property (nullable, nonatomic, readonly) UIWindow *keyWindow API_AVAILABLE(ios(15.0));
@end

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR NS_SWIFT_NAME(UIScene.ConnectionOptions)
@interface UISceneConnectionOptions : NSObject
@property (nullable, nonatomic, readonly) UNNotificationResponse *notificationResponse;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end

typedef NSString *UISceneSessionRole NS_TYPED_ENUM NS_SWIFT_NAME(UISceneSession.Role) API_AVAILABLE(ios(13.0));
extern UISceneSessionRole const UIWindowSceneSessionRoleApplication API_AVAILABLE(ios(13.0))
    NS_SWIFT_NAME(UISceneSessionRole.windowApplication);

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@interface UISceneSession : NSObject
@property (nonatomic, readonly) UISceneSessionRole role;
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@interface UISceneConfiguration : NSObject
@property (nullable, nonatomic, readonly) NSString *name;
@property (nonatomic, readonly) UISceneSessionRole role;
@property (nullable, nonatomic) Class delegateClass;
- (instancetype)initWithName:(nullable NSString *)name
                 sessionRole:(UISceneSessionRole)sessionRole NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@protocol UISceneDelegate <NSObject>
@optional
- (void)scene:(UIScene *)scene
    willConnectToSession:(UISceneSession *)session
                 options:(UISceneConnectionOptions *)connectionOptions
    NS_SWIFT_NAME(scene(_:willConnectTo:options:));
- (void)sceneDidBecomeActive:(UIScene *)scene;
@end

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@protocol UIWindowSceneDelegate <UISceneDelegate>
@optional
@property (nullable, nonatomic, strong) UIWindow *window;
@end

// Views.

API_AVAILABLE(ios(2.0)) NS_SWIFT_SENDABLE
@interface UIColor : NSObject <NSSecureCoding, NSCopying>
@property (class, nonatomic, readonly) UIColor *blackColor;
@property (class, nonatomic, readonly) UIColor *clearColor;
@property (class, nonatomic, readonly) UIColor *systemBackgroundColor API_AVAILABLE(ios(13.0));
- (UIColor *)initWithWhite:(CGFloat)white alpha:(CGFloat)alpha;
- (UIColor *)colorWithAlphaComponent:(CGFloat)alpha;
@end

typedef NS_OPTIONS(NSUInteger, UIViewAutoresizing) {
    UIViewAutoresizingFlexibleWidth = 1 << 1,
    UIViewAutoresizingFlexibleHeight = 1 << 4
} NS_SWIFT_NAME(UIView.AutoresizingMask);

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIView : UIResponder <NSCoding>
@property (nonatomic) CGRect frame;
@property (nonatomic) CGRect bounds;
@property (nonatomic) CGPoint center;
@property (nullable, nonatomic, copy) UIColor *backgroundColor;
@property (nonatomic, getter=isHidden) BOOL hidden NS_SWIFT_NAME(isHidden);
@property (nonatomic) BOOL clipsToBounds;
@property (nonatomic) UIViewAutoresizing autoresizingMask;
@property (nonatomic, readonly, copy) NSArray<__kindof UIView *> *subviews;
@property (nullable, nonatomic, readonly) UIView *superview;
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
- (void)addSubview:(UIView *)view;
- (void)removeFromSuperview;
@end

typedef NS_ENUM(NSInteger, NSTextAlignment) {
    NSTextAlignmentLeft = 0,
    NSTextAlignmentCenter = 1,
    NSTextAlignmentRight = 2,
    NSTextAlignmentJustified = 3,
    NSTextAlignmentNatural = 4
} API_AVAILABLE(ios(6.0));

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UILabel : UIView
@property (nullable, nonatomic, copy) NSString *text;
@property (nonatomic) NSTextAlignment textAlignment;
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_SENDABLE
@interface UIImage : NSObject <NSSecureCoding>
+ (nullable UIImage *)systemImageNamed:(NSString *)name API_AVAILABLE(ios(13.0)) NS_SWIFT_NAME(init(systemName:));
@end

// Actions and controls.

typedef void (^UIActionHandler)(__kindof UIAction *action);

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@interface UIMenuElement : NSObject
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(13.0)) NS_SWIFT_UI_ACTOR
@interface UIAction : UIMenuElement
@property (nonatomic, copy) NSString *title;
@property (nullable, nonatomic, copy) UIImage *image;
// Apple's Swift overlay has one initializer, with a default for all but `handler`; here three shapes are methods.
+ (instancetype)actionWithImage:(nullable UIImage *)image
                        handler:(UIActionHandler)handler NS_SWIFT_NAME(init(image:handler:));
+ (instancetype)actionWithHandler:(UIActionHandler)handler NS_SWIFT_NAME(init(handler:));
+ (instancetype)actionWithTitle:(NSString *)title handler:(UIActionHandler)handler NS_SWIFT_NAME(init(title:handler:));
+ (instancetype)new NS_UNAVAILABLE;
- (instancetype)init NS_UNAVAILABLE;
@end

typedef NS_OPTIONS(NSUInteger, UIControlEvents) {
    UIControlEventTouchUpInside = 1 << 6
} NS_SWIFT_NAME(UIControl.Event);

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIControl : UIView
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
- (void)addAction:(UIAction *)action forControlEvents:(UIControlEvents)controlEvents API_AVAILABLE(ios(14.0))
    NS_SWIFT_NAME(addAction(_:for:));
- (void)sendActionsForControlEvents:(UIControlEvents)controlEvents NS_SWIFT_NAME(sendActions(for:));
@end

typedef NS_ENUM(NSInteger, UIButtonType) {
    UIButtonTypeCustom = 0,
    UIButtonTypeSystem API_AVAILABLE(ios(7.0)),
    UIButtonTypeClose API_AVAILABLE(ios(13.0)) = 7
} NS_SWIFT_NAME(UIButton.ButtonType);

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIButton : UIControl
// In Swift an overlay's convenience initializer.
+ (instancetype)buttonWithType:(UIButtonType)buttonType
                 primaryAction:(nullable UIAction *)primaryAction API_AVAILABLE(ios(14.0))
    NS_SWIFT_NAME(init(type:primaryAction:));
- (instancetype)initWithFrame:(CGRect)frame NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

// View controllers.

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIViewController : UIResponder <NSCoding>
@property (null_resettable, nonatomic, strong) UIView *view;
@property (nullable, nonatomic, copy) NSString *title;
@property (nullable, nonatomic, weak, readonly) UIViewController *parentViewController NS_SWIFT_NAME(parent);
@property (nullable, nonatomic, readonly) UIViewController *presentedViewController API_AVAILABLE(ios(5.0))
    NS_SWIFT_NAME(presentedViewController);
@property (nullable, nonatomic, readonly) UIViewController *presentingViewController API_AVAILABLE(ios(5.0))
    NS_SWIFT_NAME(presentingViewController);
@property (nonatomic, readonly, getter=isBeingDismissed) BOOL beingDismissed API_AVAILABLE(ios(5.0))
    NS_SWIFT_NAME(isBeingDismissed);
@property (nonatomic, readonly, getter=isMovingFromParentViewController) BOOL movingFromParentViewController
    API_AVAILABLE(ios(5.0)) NS_SWIFT_NAME(isMovingFromParent);
@property (null_resettable, nonatomic, strong) UITabBarItem *tabBarItem;
@property (nonatomic, readonly, strong) UINavigationItem *navigationItem;
@property (nullable, nonatomic, readonly, strong) UINavigationController *navigationController;
- (instancetype)initWithNibName:(nullable NSString *)nibNameOrNil
                         bundle:(nullable NSBundle *)nibBundleOrNil NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
- (void)loadView;
- (void)viewDidLoad;
- (void)viewWillAppear:(BOOL)animated;
- (void)viewDidAppear:(BOOL)animated;
- (void)viewWillDisappear:(BOOL)animated;
- (void)viewDidDisappear:(BOOL)animated;
- (void)presentViewController:(UIViewController *)viewControllerToPresent
                     animated:(BOOL)flag
                   completion:(void (^_Nullable)(void))completion API_AVAILABLE(ios(5.0))
    NS_SWIFT_NAME(present(_:animated:completion:));
- (void)dismissViewControllerAnimated:(BOOL)flag
                           completion:(void (^_Nullable)(void))completion API_AVAILABLE(ios(5.0))
    NS_SWIFT_NAME(dismiss(animated:completion:));
@end

typedef NS_ENUM(NSInteger, UIAlertActionStyle) {
    UIAlertActionStyleDefault = 0,
    UIAlertActionStyleCancel,
    UIAlertActionStyleDestructive
} API_AVAILABLE(ios(8.0)) NS_SWIFT_NAME(UIAlertAction.Style);

typedef NS_ENUM(NSInteger, UIAlertControllerStyle) {
    UIAlertControllerStyleActionSheet = 0,
    UIAlertControllerStyleAlert
} API_AVAILABLE(ios(8.0)) NS_SWIFT_NAME(UIAlertController.Style);

API_AVAILABLE(ios(8.0)) NS_SWIFT_UI_ACTOR
@interface UIAlertAction : NSObject
+ (instancetype)actionWithTitle:(nullable NSString *)title
                          style:(UIAlertActionStyle)style
                        handler:(void (^_Nullable)(UIAlertAction *action))handler;
@property (nullable, nonatomic, readonly) NSString *title;
@property (nonatomic, readonly) UIAlertActionStyle style;
@end

API_AVAILABLE(ios(8.0)) NS_SWIFT_UI_ACTOR
@interface UIAlertController : UIViewController
+ (instancetype)alertControllerWithTitle:(nullable NSString *)title
                                 message:(nullable NSString *)message
                          preferredStyle:(UIAlertControllerStyle)preferredStyle;
- (void)addAction:(UIAlertAction *)action;
@property (nonatomic, readonly) NSArray<UIAlertAction *> *actions;
@property (nullable, nonatomic, copy) NSString *message;
@property (nonatomic, readonly) UIAlertControllerStyle preferredStyle;
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UINavigationController : UIViewController
@property (nonatomic, copy) NSArray<__kindof UIViewController *> *viewControllers;
- (instancetype)initWithRootViewController:(UIViewController *)rootViewController NS_DESIGNATED_INITIALIZER;
- (instancetype)initWithNibName:(nullable NSString *)nibNameOrNil
                         bundle:(nullable NSBundle *)nibBundleOrNil NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UINavigationItem : NSObject <NSCoding>
@property (nullable, nonatomic, strong) UIBarButtonItem *rightBarButtonItem;
- (instancetype)initWithTitle:(NSString *)title NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UITabBarItem : NSObject <NSCoding>
@property (nullable, nonatomic, copy) NSString *badgeValue;
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
@end

typedef NS_ENUM(NSInteger, UIBarButtonSystemItem) {
    UIBarButtonSystemItemDone,
    UIBarButtonSystemItemCancel,
    UIBarButtonSystemItemClose API_AVAILABLE(ios(13.0)) = 24
} NS_SWIFT_NAME(UIBarButtonItem.SystemItem);

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIBarButtonItem : NSObject <NSCoding>
@property (nullable, nonatomic, copy) UIAction *primaryAction API_AVAILABLE(ios(14.0));
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
// Apple's Swift overlay has one initializer, with a default for all but `systemItem`; here the two shapes are methods.
- (instancetype)initWithBarButtonSystemItem:(UIBarButtonSystemItem)systemItem
                              primaryAction:(nullable UIAction *)primaryAction API_AVAILABLE(ios(14.0))
    NS_SWIFT_NAME(init(systemItem:primaryAction:));
@end

// Windows and the screen.

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIScreen : NSObject
@property (class, nonatomic, readonly) UIScreen *mainScreen NS_SWIFT_NAME(main);
@property (nonatomic, readonly) CGRect bounds;
@end

API_AVAILABLE(ios(2.0)) NS_SWIFT_UI_ACTOR
@interface UIWindow : UIView
@property (nullable, nonatomic, strong) UIViewController *rootViewController API_AVAILABLE(ios(4.0));
@property (nullable, nonatomic, weak) UIWindowScene *windowScene API_AVAILABLE(ios(13.0));
@property (nonatomic, readonly, getter=isKeyWindow) BOOL keyWindow;
- (instancetype)initWithWindowScene:(UIWindowScene *)windowScene API_AVAILABLE(ios(13.0));
- (void)makeKeyAndVisible;
@end

NS_ASSUME_NONNULL_END
