// What the samples use of Foundation beyond the declarations that the SDK needs.
#import "UIKit.h"
#import "UserNotifications.h"

#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((id)0)

NS_ASSUME_NONNULL_BEGIN

@interface NSDictionary <__covariant Key, __covariant Value> (Samples)
+ (instancetype)dictionaryWithObjects:(const id _Nonnull[_Nullable])objects
                              forKeys:(const id _Nonnull[_Nullable])keys
                                count:(NSUInteger)count;
- (nullable Value)objectForKey:(Key)key;
- (nullable Value)objectForKeyedSubscript:(Key)key;
@end
@interface NSArray <__covariant Element> (Samples)
+ (instancetype)arrayWithObjects:(const id _Nonnull[_Nullable])objects count:(NSUInteger)count;
// What a loop over an array calls.
- (NSUInteger)countByEnumeratingWithState:(void *)state
                                  objects:(id _Nullable __unsafe_unretained[_Nonnull])objects
                                    count:(NSUInteger)count;
@end
@interface NSSet <__covariant Element> (Samples)
+ (instancetype)setWithArray:(NSArray<Element> *)array;
@end

@interface NSError (Samples)
@property (readonly) NSInteger code;
@property (readonly, copy) NSString *localizedDescription;
@end

void NSLog(NSString *format, ...);

NS_ASSUME_NONNULL_END
