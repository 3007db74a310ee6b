#if canImport(UIKit)
import Carillon
import CarillonLocation
public import CorePush

extension CorePushManager {
    /// Sends the phone's location, if `locationServiceEnabled`; otherwise has no effect.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public func reportCurrentLocation() {
        guard locationServiceEnabled else { return }
        CorePushAdapter.current.change(
            success: .CorePushManagerRegisterTokenRequestSuccess,
            failure: .CorePushManagerRegisterTokenRequestFail
        ) { app in
            try await app.reportCurrentLocation()
        }
    }
}
#endif
