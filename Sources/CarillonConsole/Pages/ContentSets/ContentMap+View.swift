import CarillonContentSets
import CarillonModel
import CarillonOperatorModel
import Foundation

/// Rows on a map that the server draws from their positions; no tile of anybody else's is asked for.
struct ContentMapView: PageView {
    static let template = "content-map"

    /// A row.
    struct Mark: Hashable, Sendable {
        let x: String
        let y: String
        let markName: String
    }

    /// A line of the grid, with its degrees.
    struct Line: Hashable, Sendable {
        let place: String
        let degrees: String
    }

    /// Rows of one map: each is an element of the page.
    static let rowCount = 400

    let heading: String
    let tabs: [TabView]
    let backPath: String
    let setName: String
    let marks: [Mark]
    let hasMarks: Bool
    let mapSide: String
    let meridians: [Line]
    let parallels: [Line]
    let mapDescription: String
    let names: [String]
    let paging: PagingView?

    init(_ page: ContentPage, _ table: ContentTable, of set: ContentSet, after: ContentCursor?, _ look: Look) {
        let path = AppPath(app: set.app).contentSet(set.name)
        heading = look.texts("contentSets.mapHeading", ["title": set.definition.title])
        tabs = set.definition.tables.filter { $0.positionIndex != nil }.map { other in
            TabView(words: other.name, path: "\(path)/map?table=\(other.name)", isCurrent: other.name == table.name)
        }
        (backPath, setName) = (path, set.name)
        let field = table.fields.first { $0.type == .position }?.name ?? ""
        // A required text says more than a key.
        let name = table.fields.first { $0.isRequired && $0.type == .text && $0.name != table.key }?.name ?? table.key
        let places = page.items.compactMap { item -> (ContentPosition, String)? in
            let values = ContentDocument(item.document)
            return values.position(field).map { ($0, values.text(name, look) ?? "") }
        }
        let map = ContentMap(places.map(\.0))
        marks = places.map { place, name in
            let point = map.point(place)
            return Mark(x: BarChart.text(point.x), y: BarChart.text(point.y), markName: name)
        }
        hasMarks = !marks.isEmpty
        mapSide = BarChart.text(ContentMap.side)
        // At the edge there is no room for the degrees.
        meridians = map.meridians.map { line in
            Line(
                place: BarChart.text(line.place),
                degrees: line.place > ContentMap.side - Self.labelWidth ? "" : line.degrees
            )
        }
        parallels = map.parallels.map { Line(place: BarChart.text($0.place), degrees: $0.degrees) }
        mapDescription = look.texts("contentSets.mapShows", count: marks.count)
        names = marks.prefix(Self.listedNames).map(\.markName)
        paging = PagingView(isFirst: after == nil, next: page.next, at: path + "/map") { cursor in
            FormFields().setting(["table": table.name, "after": cursor?.description])
        }
    }

    private static let labelWidth = 80.0
    /// Names in the list beside the map.
    private static let listedNames = 100
}

/// Where positions lie on a square map: longitudes are shortened as they are at the map's middle.
struct ContentMap: Sendable {
    /// A line of the grid.
    struct Line: Hashable, Sendable {
        let place: Double
        let degrees: String
    }

    static let side = 640.0
    private static let margin = 32.0
    /// The least height of a map in degrees: some 100 metres.
    private static let least = 0.001
    private static let maximumLines = 5

    private let middle: (latitude: Double, longitude: Double)
    /// Degrees of latitude from the middle to the margin.
    private let reach: Double
    /// How much shorter a degree of longitude is.
    private let shortening: Double

    init(_ places: [ContentPosition]) {
        let (latitudes, longitudes) = (places.map(\.latitude), places.map(\.longitude))
        let (south, north) = (latitudes.min() ?? 0, latitudes.max() ?? 0)
        let (west, east) = (longitudes.min() ?? 0, longitudes.max() ?? 0)
        middle = ((south + north) / 2, (west + east) / 2)
        // At the poles a map has no width.
        shortening = max(0.05, cos(middle.latitude * .pi / 180))
        reach = max(Self.least, north - south, (east - west) * shortening) / 2
    }

    /// A place on the map: east is right, north is up.
    func point(_ place: ContentPosition) -> (x: Double, y: Double) { (x(place.longitude), y(place.latitude)) }

    /// Lines of equal longitude.
    var meridians: [Line] {
        lines(from: middle.longitude - reach / shortening, to: middle.longitude + reach / shortening, "E", "W", x)
    }

    /// Lines of equal latitude.
    var parallels: [Line] { lines(from: middle.latitude - reach, to: middle.latitude + reach, "N", "S", y) }

    // MARK: - Private

    private var scale: Double { (Self.side / 2 - Self.margin) / reach }

    private func x(_ longitude: Double) -> Double {
        Self.side / 2 + (longitude - middle.longitude) * shortening * scale
    }

    private func y(_ latitude: Double) -> Double { Self.side / 2 - (latitude - middle.latitude) * scale }

    /// At most five lines at round degrees.
    private func lines(
        from first: Double,
        to last: Double,
        _ positive: String,
        _ negative: String,
        _ place: (Double) -> Double
    ) -> [Line] {
        let steps = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 45, 90]
        guard let step = steps.first(where: { (last - first) / $0 <= Double(Self.maximumLines) }) else { return [] }
        var lines: [Line] = []
        var number = (first / step).rounded(.up)
        while number * step <= last, lines.count < Self.maximumLines {
            let degrees = number * step
            let digits = BarChart.text((abs(degrees) * 100).rounded() / 100)
            let text = step < 0.01 ? Self.exact(abs(degrees)) : digits
            lines.append(Line(place: place(degrees), degrees: "\(text)° \(degrees < 0 ? negative : positive)"))
            number += 1
        }
        return lines
    }

    /// Degrees with four decimals.
    private static func exact(_ degrees: Double) -> String {
        let parts = Int((degrees * 10_000).rounded())
        let rest = String(parts % 10_000)
        return "\(parts / 10_000)." + String(repeating: "0", count: 4 - rest.count) + rest
    }
}
