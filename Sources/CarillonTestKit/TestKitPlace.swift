import CarillonModel
import Foundation

/// A place in degrees.
struct TestKitPlace: Hashable, Sendable {
    var latitude: Double
    var longitude: Double

    init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The place of a row's field.
    init?(_ value: JSONValue?) {
        guard let latitude = value?["latitude"]?.number, let longitude = value?["longitude"]?.number else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// Metres along the surface of a sphere, as the server computes them.
    func distance(to other: TestKitPlace) -> Double {
        let (first, second) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let (sinNorth, sinEast) = (sin((second - first) / 2), sin((other.longitude - longitude) * .pi / 360))
        let chord = sinNorth * sinNorth + cos(first) * cos(second) * sinEast * sinEast
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }
}

extension TestKitPlace: Decodable {
    private enum CodingKeys: String, CodingKey, CaseIterable { case latitude, longitude }

    init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let latitude: Double = try fields.required(.latitude)
        let longitude: Double = try fields.required(.longitude)
        guard let place = TestKitPlace(latitude: latitude, longitude: longitude) else {
            throw fields.failure(.latitude, "must be -90 through 90, and longitude -180 through 180")
        }
        self = place
    }
}
