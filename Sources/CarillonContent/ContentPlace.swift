import Foundation

/// A place on Earth in degrees (WGS 84), as rows have it.
public struct ContentPlace: Hashable, Sendable, Codable {
    /// Degrees north, -90 through 90.
    public var latitude: Double
    /// Degrees east, -180 through 180.
    public var longitude: Double

    /// Mean radius of the Earth in metres.
    private static let earthRadius = 6_371_008.8

    /// Makes a place.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north, -90 through 90.
    ///   - longitude: Degrees east, -180 through 180.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Metres to another place along the surface of a sphere.
    ///
    /// - Parameter other: The other place.
    /// - Returns: The distance, as the server computes it.
    public func distance(to other: ContentPlace) -> Double {
        let (first, second) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let (north, east) = ((second - first) / 2, (other.longitude - longitude) * .pi / 360)
        let (sinNorth, sinEast) = (sin(north), sin(east))
        let chord = sinNorth * sinNorth + cos(first) * cos(second) * sinEast * sinEast
        return 2 * Self.earthRadius * asin(min(1, chord.squareRoot()))
    }

    var isValid: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }

    /// The nearest place whose degrees have some decimals.
    func rounded(decimals: Int) -> ContentPlace {
        let factor = pow(10, Double(decimals))
        return ContentPlace(
            // Zero has one sign: it becomes a text.
            latitude: (latitude * factor).rounded() / factor + 0,
            longitude: (longitude * factor).rounded() / factor + 0
        )
    }
}
