import Foundation

/// The map as a drawing: no tiles of anybody, only positions.
struct MapDrawing {
    struct Stop {
        let number: Int
        let id: String
        let title: String
        let routes: String?
        let isSelected: Bool
        let x: Double
        let y: Double
        /// Whether it is within the edges of the map.
        let isShown: Bool
    }

    let event: String
    let session: Int
    let venue: String
    let stops: [Stop]
    let isEmpty: Bool
    let hasRouteList: Bool
    let selected: Stop?
    let side: Double
    let middle: Double
    /// Radii of the circles that are 100, 200 and 300 metres around the venue.
    let rings: [Ring]
    let trouble: TroubleView

    struct Ring {
        let radius: Double
        let label: String
        let labelY: Double
    }

    private static let size = 360.0
    private static let metresOfDegree = 111_195.0

    init(_ state: MapState, session: Int, _ texts: Texts) {
        event = Address.escaped(state.venue.event)
        self.session = session
        venue = state.venue.place
        let scale = Self.size / MapState.span
        let half = Self.size / 2
        // A degree of longitude is shorter than one of latitude.
        let shrink = cos(state.center.latitude * .pi / 180)
        stops = state.pins.enumerated().map { index, pin in
            let x = half + (pin.stop.position.longitude - state.center.longitude) * scale * shrink
            let y = half - (pin.stop.position.latitude - state.center.latitude) * scale
            let isShown = (0...Self.size).contains(x) && (0...Self.size).contains(y)
            return Stop(
                number: index + 1,
                id: Address.escaped(pin.id),
                title: pin.title,
                routes: pin.routes,
                isSelected: pin.id == state.selected,
                x: Self.rounded(x),
                y: Self.rounded(y),
                isShown: isShown
            )
        }
        isEmpty = stops.isEmpty && state.failure == nil
        hasRouteList = state.hasRouteList
        selected = stops.first(where: \.isSelected)
        (side, middle) = (Self.size, half)
        rings = [100.0, 200.0, 300.0].map { metres in
            let radius = Self.rounded(metres / Self.metresOfDegree * scale)
            return Ring(radius: radius, label: "\(Int(metres)) m", labelY: half - radius - 4)
        }
        trouble = TroubleView(state.failure, isStored: state.isStored, texts)
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}
