#if canImport(UIKit)
import CorePush
import CorePushLocation

@MainActor
func use() { CorePushManager.shared.reportCurrentLocation() }
#endif
