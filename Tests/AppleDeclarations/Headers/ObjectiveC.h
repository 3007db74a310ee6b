// NSObject, and the macros of Apple's headers that carry meaning for the importer.
#pragma once

typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef double NSTimeInterval;
#define BOOL _Bool

#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")

#define NS_ENUM(type, name) \
    enum __attribute__((enum_extensibility(open))) name : type name; \
    enum __attribute__((enum_extensibility(open))) name : type
#define NS_OPTIONS(type, name) \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : type name; \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : type
#define NS_TYPED_EXTENSIBLE_ENUM __attribute__((swift_wrapper(struct)))
#define NS_TYPED_ENUM __attribute__((swift_wrapper(enum)))
#define NS_ERROR_ENUM(name, domain) \
    enum __attribute__((ns_error_domain(domain))) name : NSInteger name; \
    enum __attribute__((ns_error_domain(domain))) name : NSInteger
#define NS_SWIFT_NAME(name) __attribute__((swift_name(#name)))
#define NS_REFINED_FOR_SWIFT __attribute__((swift_private))
#define NS_SWIFT_UNAVAILABLE(text) __attribute__((availability(swift, unavailable, message = text)))
#define NS_SWIFT_DISABLE_ASYNC __attribute__((swift_async(none)))
#define NS_SWIFT_ASYNC(position) __attribute__((swift_async(swift_private, position)))
#define NS_SWIFT_UI_ACTOR __attribute__((swift_attr("@UIActor")))
#define NS_SWIFT_NONISOLATED __attribute__((swift_attr("nonisolated")))
#define NS_SWIFT_SENDABLE __attribute__((swift_attr("@Sendable")))
#define NS_SWIFT_NONSENDABLE __attribute__((swift_attr("@_nonSendable")))
#define NS_SWIFT_UI_ACTOR_BLOCK __attribute__((swift_attr("@MainActor")))
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define NS_REQUIRES_SUPER __attribute__((objc_requires_super))
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_EXTENSION_UNAVAILABLE_IOS(text) __attribute__((availability(ios_app_extension, unavailable, message = text)))

// API_AVAILABLE(ios(16.0), macos(13.0)): up to four platforms.
#define CARILLON_PLATFORM_ios(version) ios, introduced = version
#define CARILLON_PLATFORM_macos(version) macos, introduced = version
#define CARILLON_AVAILABLE(platform) __attribute__((availability(CARILLON_PLATFORM_##platform)))
#define CARILLON_UNAVAILABLE(platform) __attribute__((availability(platform, unavailable)))
#define CARILLON_DEPRECATED_ios(from, to) ios, introduced = from, deprecated = to
#define CARILLON_DEPRECATED_macos(from, to) macos, introduced = from, deprecated = to
#define CARILLON_OLD(text, platform) __attribute__((availability(CARILLON_DEPRECATED_##platform, message = text)))
#define CARILLON_1(of, a) of(a)
#define CARILLON_2(of, a, b) of(a) of(b)
#define CARILLON_3(of, a, b, c) of(a) of(b) of(c)
#define CARILLON_NTH(a, b, c, name, ...) name
#define API_AVAILABLE(...) \
    CARILLON_NTH(__VA_ARGS__, CARILLON_3, CARILLON_2, CARILLON_1)(CARILLON_AVAILABLE, __VA_ARGS__)
#define API_UNAVAILABLE(...) \
    CARILLON_NTH(__VA_ARGS__, CARILLON_3, CARILLON_2, CARILLON_1)(CARILLON_UNAVAILABLE, __VA_ARGS__)
/// Deprecated on one platform; it takes the place of API_AVAILABLE for that platform.
#define API_DEPRECATED(text, platform) CARILLON_OLD(text, platform)

NS_ASSUME_NONNULL_BEGIN

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property (readonly) NSUInteger hash;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)alloc;
+ (instancetype)new;
+ (NSInteger)version;
+ (void)setVersion:(NSInteger)version;
- (instancetype)init NS_DESIGNATED_INITIALIZER;
- (id)copy;
- (id)mutableCopy;
@end

NS_ASSUME_NONNULL_END
