import CarillonModel
import Foundation

/// A place on Earth in degrees (WGS 84).
package struct ContentPosition: Hashable, Sendable, Codable {
    /// -90 through 90.
    package let latitude: Double
    /// -180 through 180.
    package let longitude: Double

    /// - Returns: `nil` when a number is out of range.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Metres to another place along the surface of a sphere.
    package func distance(to other: ContentPosition) -> Double {
        Sphere.distance((latitude, longitude), (other.latitude, other.longitude))
    }

    /// Boxes that contain every place within a radius: two where the date line is inside.
    ///
    /// - Parameter radius: Metres, not negative.
    /// - Returns: One or two boxes; around a pole one with all longitudes.
    package func boxes(within radius: Double) -> [ContentBox] {
        // A little more, so that rounding never excludes a place.
        let angle = radius / Sphere.radius * 180 / .pi * 1.000_001 + 1e-7
        let (south, north) = (latitude - angle, latitude + angle)
        guard south > -90, north < 90 else {
            return [ContentBox(south: max(-90, south), north: min(90, north), west: -180, east: 180)]
        }
        // The meridians that touch the circle are farther away than its radius at this latitude.
        let ratio = sin(angle * .pi / 180) / cos(latitude * .pi / 180)
        guard ratio < 1 else { return [ContentBox(south: south, north: north, west: -180, east: 180)] }
        let width = asin(ratio) * 180 / .pi * 1.000_001 + 1e-7
        guard width < 180 else { return [ContentBox(south: south, north: north, west: -180, east: 180)] }
        let (west, east) = (longitude - width, longitude + width)
        if west < -180 {
            return [
                ContentBox(south: south, north: north, west: west + 360, east: 180),
                ContentBox(south: south, north: north, west: -180, east: east),
            ]
        }
        if east > 180 {
            return [
                ContentBox(south: south, north: north, west: west, east: 180),
                ContentBox(south: south, north: north, west: -180, east: east - 360),
            ]
        }
        return [ContentBox(south: south, north: north, west: west, east: east)]
    }
}

/// A range of latitudes and longitudes in degrees; it does not cross the date line.
package struct ContentBox: Hashable, Sendable {
    package var south: Double
    package var north: Double
    package var west: Double
    package var east: Double

    package func contains(_ position: ContentPosition) -> Bool {
        (south...north).contains(position.latitude) && (west...east).contains(position.longitude)
    }
}
