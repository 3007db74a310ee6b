// What an app in Objective-C does with COIMOTION's SDK, call by call as its demo app does.

// Beside the import in the app's prefix header: the type of a call.
#define NSURLConnection CoimConnection

// As in the demo app, no class declares the delegate's protocol.
@interface CoimSample : NSObject {
    NSURLConnection *_connection;
}
@end

@implementation CoimSample

- (void)start {
    [coimSDK initSDK:^(NSError *error) {
        if (error) NSLog(@"%@ %ld", [error localizedDescription], (long)[error code]);
    }];
    _connection = [coimSDK sendTo:@"core/user/profile" withParameter:nil delegate:self];
    [_connection setAccessibilityLabel:@"profile"];
}

- (void)logInWithName:(NSString *)name password:(NSString *)password {
    NSDictionary *parameters = @{@"accName" : name, @"passwd" : password};
    _connection = [coimSDK loginTo:@"core/user/login" withParameter:parameters delegate:self];
    _connection = [coimSDK registerWithParameter:parameters delegate:self];
    _connection = [coimSDK updatePasswd:parameters delegate:self];
}

- (void)listCategory:(NSString *)category {
    [_connection cancel];
    NSDictionary *parameters = @{@"cat" : category, @"fromTm" : @"2014-04-14", @"toTm" : @"2014-04-21"};
    _connection = [coimSDK sendTo:@"twShow/show/byCity/15" withParameter:parameters delegate:self];
}

- (void)attach:(NSString *)path {
    _connection = [coimSDK attachFiles:@[ path ]
                                    To:@"cms/geoLoc/attach/12"
                            withParams:@{@"nType" : nType.NIMAGE, @"title" : @"Stop"}
                              delegate:self];
}

- (void)logOut {
    [coimSDK logoutFrom:@"core/user/logout" delegate:self];
    [coimSDK logout:self];
    [coimSDK clearToken];
}

- (void)coimConnection:(NSURLConnection *)connection didReceiveData:(NSData *)data {}

- (void)coimConnection:(NSURLConnection *)connection didFailWithError:(NSError *)error {
    [coimSDK alertMessage:[error localizedDescription]];
}

- (void)coimConnectionDidFinishLoading:(NSURLConnection *)connection withData:(NSDictionary *)responseData {
    int code = [coimSDK getErrCodeFrom:responseData];
    for (NSDictionary *row in [coimSDK getListFrom:responseData]) NSLog(@"%@", [row objectForKey:@"title"]);
    NSLog(@"%d %@ %@", code, [coimSDK getMessageFrom:responseData], [coimSDK getValueFrom:responseData]);
    if ([coimSDK checkNetwork] && connection == _connection) NSLog(@"%d", [coimSDK getToken] != nil);
}

- (void)coimConnectionInvalidToken:(NSURLConnection *)connection {}
- (void)coimConnection:(NSURLConnection *)connection progress:(float)percentage {}

@end

// The same with the class of March 2014, whose delegates declare their protocol.
@interface EarlyCoimSample : NSObject <COIMDelegate>
@end

@implementation EarlyCoimSample

- (void)start {
    [ReqUtil initSDK:^(NSError *error) {}];
    NSURLConnection *connection = [ReqUtil sendTo:@"core/user/profile" withParameter:nil delegate:self progressTable:nil];
    [connection cancel];
}

- (void)coimConnectionDidFinishLoading:(NSURLConnection *)connection {}

@end
