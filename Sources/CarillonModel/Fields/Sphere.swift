import Foundation

/// The earth, taken for a sphere.
package enum Sphere {
    /// Metres; the mean radius of the earth (IUGG).
    package static let radius = 6_371_008.8

    /// The distance of two places in metres, by the haversine formula.
    package static func distance(
        _ a: (latitude: Double, longitude: Double),
        _ b: (latitude: Double, longitude: Double)
    ) -> Double {
        let degree = Double.pi / 180
        let latitude = sin((a.latitude - b.latitude) * degree / 2)
        let longitude = sin((a.longitude - b.longitude) * degree / 2)
        let square =
            latitude * latitude
            + cos(a.latitude * degree) * cos(b.latitude * degree) * longitude * longitude
        return 2 * radius * asin(min(1, square.squareRoot()))
    }
}
