#if canImport(CoreLocation) && canImport(UIKit) && canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import Carillon

@available(iOSApplicationExtension, unavailable)
extension CarillonApp {
    /// Sends the phone's location, if `CarillonClient.isLocationEnabled`; asks the person for permission the first time.
    ///
    /// - Returns: Whether it was sent; false, without asking, when `CarillonClient.isLocationEnabled` is.
    /// - Throws: `CarillonError`: `permissionDenied` when the person does not allow it, `noLocation` when the phone cannot
    ///   find it, and the errors of `CarillonClient.setLocation(_:)`.
    @discardableResult
    public func reportCurrentLocation() async throws(CarillonError) -> Bool {
        guard client.isLocationEnabled else { return false }
        let finder = LocationFinder()
        let location = try await withDeadline(of: client.configuration.deadline, client.time) {
            () throws(CarillonError) in try await finder.find()
        }
        return try await client.setLocation(location)
    }
}
#endif
