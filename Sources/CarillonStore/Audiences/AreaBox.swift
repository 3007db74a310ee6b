import CarillonModel
import CarillonOperatorModel
import Foundation

/// The degrees between which a circle lies, so that most Devices are ruled out without computing a distance.
struct AreaBox {
    /// Degrees north.
    var latitudes: ClosedRange<Double>
    /// Degrees east from where to where, over the 180th meridian when the first is greater; `nil` when it reaches
    /// around the earth.
    var longitudes: (west: Double, east: Double)?

    init(_ area: AudienceArea) {
        // A little wider, for what rounding takes away.
        let angle = Double(area.radius) / Sphere.radius * 1.000_001 + 1e-9
        let degrees = angle * 180 / .pi
        let (south, north) = (area.latitude - degrees, area.latitude + degrees)
        latitudes = max(-90, south)...min(90, north)
        guard south > -90, north < 90 else { return }
        let ratio = sin(angle) / cos(area.latitude * .pi / 180)
        guard ratio < 1 else { return }
        let width = asin(ratio) * 180 / .pi + 1e-9
        guard width < 180 else { return }
        longitudes = (Self.wrapped(area.longitude - width), Self.wrapped(area.longitude + width))
    }

    private static func wrapped(_ degrees: Double) -> Double {
        if degrees < -180 { return degrees + 360 }
        return degrees > 180 ? degrees - 360 : degrees
    }
}
