// WebKit, as far as the SDK and the examples use it and the simulation declares it.
#pragma once
#import "AppleFoundation.h"

// Clang defines this for the target; a web view is a UIView on iOS and an NSView, which is not declared here, on macOS.
#ifdef __ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__
#import "UIKit.h"
#endif

NS_ASSUME_NONNULL_BEGIN

@class WKFrameInfo;
@class WKWebView;

typedef NS_OPTIONS(NSUInteger, WKDataDetectorTypes) {
    WKDataDetectorTypePhoneNumber = 1 << 0,
    WKDataDetectorTypeLink = 1 << 1,
    WKDataDetectorTypeAll = (NSUInteger)-1
} API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos);

API_AVAILABLE(ios(9.0), macos(10.11)) NS_SWIFT_UI_ACTOR
@interface WKWebsiteDataStore : NSObject
@property (nonatomic, readonly, getter=isPersistent) BOOL persistent NS_SWIFT_NAME(isPersistent);
+ (WKWebsiteDataStore *)defaultDataStore NS_SWIFT_NAME(default());
+ (WKWebsiteDataStore *)nonPersistentDataStore NS_SWIFT_NAME(nonPersistent());
- (instancetype)init NS_UNAVAILABLE;
@end

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@interface WKWebViewConfiguration : NSObject <NSSecureCoding, NSCopying>
@property (nonatomic) WKDataDetectorTypes dataDetectorTypes API_AVAILABLE(ios(10.0)) API_UNAVAILABLE(macos);
@property (nonatomic, strong) WKWebsiteDataStore *websiteDataStore API_AVAILABLE(ios(9.0), macos(10.11));
@end

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@interface WKNavigationAction : NSObject
@property (nonatomic, readonly, copy) NSURLRequest *request;
@property (nullable, nonatomic, readonly, copy) WKFrameInfo *targetFrame;
@end

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@interface WKFrameInfo : NSObject <NSCopying>
@property (nonatomic, readonly, getter=isMainFrame) BOOL mainFrame NS_SWIFT_NAME(isMainFrame);
@end

typedef NS_ENUM(NSInteger, WKNavigationActionPolicy) {
    WKNavigationActionPolicyCancel,
    WKNavigationActionPolicyAllow
} API_AVAILABLE(ios(8.0), macos(10.10));

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@interface WKNavigation : NSObject
@end

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@interface WKWindowFeatures : NSObject
@end

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@protocol WKNavigationDelegate <NSObject>
@optional
- (void)webView:(WKWebView *)webView
    decidePolicyForNavigationAction:(WKNavigationAction *)navigationAction
                    decisionHandler:(void (NS_SWIFT_UI_ACTOR_BLOCK NS_SWIFT_SENDABLE ^)(
                                        WKNavigationActionPolicy policy))decisionHandler
    NS_SWIFT_NAME(webView(_:decidePolicyFor:decisionHandler:));
@end

API_AVAILABLE(ios(8.0), macos(10.10)) NS_SWIFT_UI_ACTOR
@protocol WKUIDelegate <NSObject>
@optional
- (nullable WKWebView *)webView:(WKWebView *)webView
    createWebViewWithConfiguration:(WKWebViewConfiguration *)configuration
               forNavigationAction:(WKNavigationAction *)navigationAction
                    windowFeatures:(WKWindowFeatures *)windowFeatures
    NS_SWIFT_NAME(webView(_:createWebViewWith:for:windowFeatures:));
@end

#ifdef __ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__
API_AVAILABLE(ios(8.0)) NS_SWIFT_UI_ACTOR
@interface WKWebView : UIView
@property (nonatomic, readonly, copy) WKWebViewConfiguration *configuration;
@property (nullable, nonatomic, weak) id<WKNavigationDelegate> navigationDelegate;
@property (nullable, nonatomic, weak) id<WKUIDelegate> UIDelegate NS_SWIFT_NAME(uiDelegate);
@property (nullable, nonatomic, readonly, copy) NSURL *URL NS_SWIFT_NAME(url);
- (instancetype)initWithFrame:(CGRect)frame
                configuration:(WKWebViewConfiguration *)configuration NS_DESIGNATED_INITIALIZER;
- (nullable instancetype)initWithCoder:(NSCoder *)coder NS_DESIGNATED_INITIALIZER;
- (nullable WKNavigation *)loadRequest:(NSURLRequest *)request NS_SWIFT_NAME(load(_:));
@end
#endif

NS_ASSUME_NONNULL_END
