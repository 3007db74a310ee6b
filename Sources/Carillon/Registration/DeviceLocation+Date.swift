public import CarillonModel
public import Foundation

extension DeviceLocation {
    /// Creates a location by the phone's clock.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north, -90 through 90.
    ///   - longitude: Degrees east, -180 through 180.
    ///   - date: When the phone was there; now unless given.
    public init(latitude: Double, longitude: Double, at date: Date = Date()) {
        self.init(latitude: latitude, longitude: longitude, at: Timestamp(date))
    }
}
