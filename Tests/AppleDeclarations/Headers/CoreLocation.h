// The part of CoreLocation that the SDK uses and that the simulation declares.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

typedef double CLLocationDegrees;
typedef double CLLocationAccuracy;

extern const CLLocationAccuracy kCLLocationAccuracyKilometer API_AVAILABLE(ios(2.0), macos(10.6));

struct CLLocationCoordinate2D {
    CLLocationDegrees latitude;
    CLLocationDegrees longitude;
};
typedef struct CLLocationCoordinate2D CLLocationCoordinate2D;

API_AVAILABLE(ios(2.0), macos(10.6))
@interface CLLocation : NSObject <NSCopying, NSSecureCoding>
@property (readonly) CLLocationCoordinate2D coordinate;
@property (readonly) CLLocationAccuracy horizontalAccuracy;
@property (copy, readonly) NSDate *timestamp;
- (instancetype)initWithLatitude:(CLLocationDegrees)latitude longitude:(CLLocationDegrees)longitude;
@end

typedef NS_ENUM(int, CLAuthorizationStatus) {
    kCLAuthorizationStatusNotDetermined = 0,
    kCLAuthorizationStatusRestricted = 1,
    kCLAuthorizationStatusDenied = 2,
    kCLAuthorizationStatusAuthorizedAlways API_AVAILABLE(ios(8.0), macos(10.12)) = 3,
    kCLAuthorizationStatusAuthorizedWhenInUse API_AVAILABLE(ios(8.0)) API_UNAVAILABLE(macos) = 4,
} API_AVAILABLE(ios(2.0), macos(10.6));

extern NSString *const kCLErrorDomain API_AVAILABLE(ios(2.0), macos(10.6));

typedef NS_ERROR_ENUM(CLError, kCLErrorDomain) {
    kCLErrorLocationUnknown = 0,
    kCLErrorDenied = 1,
} API_AVAILABLE(ios(2.0), macos(10.6));

@class CLLocationManager;

API_AVAILABLE(ios(2.0), macos(10.6))
@protocol CLLocationManagerDelegate <NSObject>
@optional
- (void)locationManager:(CLLocationManager *)manager
     didUpdateLocations:(NSArray<CLLocation *> *)locations API_AVAILABLE(ios(6.0), macos(10.9))
    NS_SWIFT_NAME(locationManager(_:didUpdateLocations:));
- (void)locationManager:(CLLocationManager *)manager didFailWithError:(NSError *)error;
- (void)locationManagerDidChangeAuthorization:(CLLocationManager *)manager API_AVAILABLE(ios(14.0), macos(11.0));
@end

API_AVAILABLE(ios(2.0), macos(10.6))
@interface CLLocationManager : NSObject
@property (weak, nullable) id<CLLocationManagerDelegate> delegate;
@property CLLocationAccuracy desiredAccuracy;
@property (readonly) CLAuthorizationStatus authorizationStatus API_AVAILABLE(ios(14.0), macos(11.0));
- (void)requestWhenInUseAuthorization API_AVAILABLE(ios(8.0), macos(10.15));
- (void)requestLocation API_AVAILABLE(ios(9.0), macos(10.14));
- (void)stopUpdatingLocation;
@end

NS_ASSUME_NONNULL_END
