// What an app in Objective-C does with CORE PUSH and CORE RESEARCH, call by call as in the vendor's guides.

// A Swift package exports no constants to Objective-C: an app defines those that it observes.
static NSString *const CorePushManagerRegisterTokenRequestSuccess = @"CorePushManagerRegisterTokenRequestSuccess";

// The check cannot print this one: see Selectors/CorePush.txt.
@interface CorePushPopupView (Frame)
- (instancetype)initWithFrame:(CGRect)frame withParentView:(UIView *)parentView;
@end

@interface CoreSample : NSObject <CorePushManagerDelegate, CorePushNotificationHistoryManagerDelegate>
@end

@implementation CoreSample

- (void)startWithOptions:(NSDictionary<UIApplicationLaunchOptionsKey, id> *)launchOptions {
    [[CorePushManager shared] setConfigKey:@"config-key"];
    [[CorePushManager shared] setDelegate:self];
    [[CorePushManager shared] setCategoryIds:@[ @"1", @"2" ]];
    [[CorePushManager shared] setMultiCategoryIds:@{@"1" : @[ @"a", @"b" ]}];
    [[CorePushManager shared] setAppUserId:@"u-17"];
    [[CorePushManager shared] setDeviceIdEnabled:YES];
    [[CorePushManager shared] setDeviceIdHashEnabled:YES];
    [[CorePushManager shared] registerForRemoteNotifications];
    [[CorePushManager shared] handleLaunchingNotificationWithOption:launchOptions];
    NSLog(@"%@ %@", [[CorePushManager shared] uuid], CorePushManagerRegisterTokenRequestSuccess);
}

- (void)receive:(NSDictionary *)userInfo token:(NSData *)deviceToken {
    [[CorePushManager shared] registerDeviceToken:deviceToken];
    [[CorePushManager shared] handleRemoteNotification:userInfo];
    [[CorePushManager shared] unregisterDeviceToken];
    [[CorePushManager shared] registerUserAttributes:@[ @"gender:f" ] api:@"https://app.example.com/attributes"];
    [[CorePushAnalyticsManager shared] requestAppLaunchAnalytics:@"12" latitude:@"0" longitude:@"0"];
    [[CorePushManager shared] setLocationServiceEnabled:YES];
    [[CorePushManager shared] reportCurrentLocation];
    [CorePushManager setApplicationIconBadgeNumber:3];
}

- (void)showHistory {
    [[CorePushNotificationHistoryManager shared] setDelegate:self];
    [[CorePushNotificationHistoryManager shared] requestNotificationHistory];
    for (CorePushNotificationHistoryModel *model in
         [[CorePushNotificationHistoryManager shared] notificationHistoryModelArray]) {
        NSLog(@"%@ %@ %@ %@", model.historyId, model.message, model.url, model.regDate);
        [[CorePushNotificationHistoryManager shared] setRead:model.historyId];
    }
    NSLog(@"%ld", (long)[[CorePushNotificationHistoryManager shared] getUnreadNumber]);
}

- (void)showPopupOver:(UIView *)window frame:(CGRect)frame {
    CorePushPopupView *popupView = [[CorePushPopupView alloc] initWithFrame:frame withParentView:window];
    popupView.titleBarText = @"News";
    [popupView buildLayoutSubViews];
    [popupView.contentView addSubview:[[UIView alloc] initWithFrame:frame]];
    [popupView show];
}

- (void)handleBackgroundNotification:(NSDictionary *)notification { NSLog(@"%@", [notification objectForKey:@"url"]); }
- (void)handleForegroundNotifcation:(NSDictionary *)notification {}
- (void)handleLaunchingNotification:(NSDictionary *)notification {}
- (void)notificationHistoryManagerSuccess {}
- (void)notificationHistoryManagerFail {}

@end
