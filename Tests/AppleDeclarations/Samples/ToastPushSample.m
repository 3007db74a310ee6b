// What an app in Objective-C does with TOAST Push, call by call as in the vendor's guide.

@interface ToastSample : NSObject <ToastPushDelegate, ToastVoIPDelegate>
@end

@implementation ToastSample

- (void)start {
    ToastPushConfiguration *configuration = [[ToastPushConfiguration alloc] initWithAppKey:@"app-key"];
    configuration.sandbox = YES;
    configuration.countryCode = @"KR";
    [ToastPush initWithConfiguration:configuration delegate:self];
    [ToastPush initWithConfiguration:[ToastPushConfiguration configurationWithAppKey:@"app-key"]];
    [ToastPush setDelegate:self];
    ToastNotificationOptions *options = [[ToastNotificationOptions alloc] init];
    options.foregroundEnabled = YES;
    options.badgeEnabled = NO;
    [ToastPush setNotificationOptions:options];
    [ToastSDK setUserID:@"u-17"];
    [ToastSDK setUserID:nil];
    [ToastVoIP setDelegate:self];
}

- (void)registerToken {
    ToastPushAgreement *agreement = [[ToastPushAgreement alloc] initWithAllowNotifications:YES];
    agreement.allowAdvertisements = YES;
    agreement.allowNightAdvertisements = NO;
    [ToastPush registerWithAgreement:agreement
                   completionHandler:^(ToastPushTokenInfo *tokenInfo, NSError *error) {
                       if (error == nil) { NSLog(@"%@ %d", tokenInfo.deviceToken, tokenInfo.isSandbox); }
                   }];
    [ToastPush registerWithCompletionHandler:nil];
    [ToastPush queryTokenInfoWithCompletionHandler:^(ToastPushTokenInfo *tokenInfo, NSError *error) {
        NSLog(@"%@ %@ %d", tokenInfo.userID, tokenInfo.pushType, tokenInfo.allowNotifications);
    }];
    [ToastPush unregisterWithCompletionHandler:^(NSString *deviceToken, NSError *error) { NSLog(@"%@", deviceToken); }];
}

- (void)changeTags {
    NSSet<NSString *> *tags = [NSSet setWithArray:@[ @"AAAAAAAA", @"BBBBBBBB" ]];
    [ToastPush addUserTagWithIdentifiers:tags
                       completionHandler:^(NSSet<NSString *> *identifiers, NSError *error) { NSLog(@"%@", identifiers); }];
    [ToastPush setUserTagWithIdentifiers:nil completionHandler:^(NSError *error) { NSLog(@"%@", error); }];
    [ToastPush getUserTagWithCompletionHandler:^(NSSet<NSString *> *identifiers, NSError *error) {}];
    [ToastPush removeUserTagWithIdentifiers:tags completionHandler:nil];
    [ToastPush removeAllUserTagWithCompletionHandler:^(NSError *error) {}];
}

- (void)registerCalls {
    [ToastVoIP registerWithCompletionHandler:^(ToastPushTokenInfo *tokenInfo, NSError *error) {}];
    [ToastVoIP queryTokenInfoWithCompletionHandler:^(ToastPushTokenInfo *tokenInfo, NSError *error) {}];
    [ToastVoIP unregisterWithCompletionHandler:^(NSString *deviceToken, NSError *error) {}];
}

- (void)didReceiveNotificationWithMessage:(ToastPushMessage *)message {
    ToastPushMedia *media = message.richMessage.media;
    NSLog(@"%@ %@ %@ %@", message.identifier, message.title, message.payload[@"key"], media.source);
}

- (void)didReceiveNotificationResponseWithMessage:(ToastPushMessage *)message {
    for (ToastPushButton *button in message.richMessage.buttons) { NSLog(@"%@ %@", button.name, button.link); }
}

- (void)didReceiveNotificationAction:(ToastPushNotificationAction *)action {
    NSLog(@"%@ %@ %@", action.actionIdentifier, action.button.name, action.userText);
}

- (void)didReceiveIncomingVoiceCallWithMessage:(ToastPushMessage *)message {
    NSLog(@"%@", message.title);
}

@end
