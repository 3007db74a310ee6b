import CarillonContentSets
import CarillonModel
import Foundation

/// The rows of one version that have a place, in memory: a version never changes once it is published.
///
/// They are in rows of a grid from south to north, and in each from west to east. Candidates are compared by the straight
/// line to them, which costs a fraction of the distance along the surface; only those that are shown have that.
struct ContentPlaces: Sendable {
    struct Row: Sendable {
        var number: Int64
        var place: ContentPosition
        var document: String
    }

    /// A row that is near enough in a straight line.
    private struct Candidate {
        /// The square of the line.
        var square: Double
        var index: Int
    }

    /// Rows of the grid in a degree: each is about a kilometre high.
    private static let rowsPerDegree = 100.0
    private static let rowCount = 18_001
    /// About how many bytes a row takes beside its document.
    static let rowSize = 160
    /// The first radius that is tried, in metres; each next one is twice as large.
    private static let firstRadius = 250.0
    /// What rounding may add to a straight line, in radii of the earth: less than a micrometre.
    private static let rounding = 1e-13

    private let rows: [Row]
    private let longitudes: [Double]
    /// On a sphere of the radius 1.
    private let points: [SIMD3<Double>]
    /// Where each row of the grid begins, and the end of the last one.
    private let starts: [Int]
    /// About how many bytes it takes.
    let size: Int

    init(_ rows: [Row]) {
        self.rows = rows.sorted { left, right in
            let (one, other) = (Self.index(left.place.latitude), Self.index(right.place.latitude))
            return (one, left.place.longitude, left.number) < (other, right.place.longitude, right.number)
        }
        longitudes = self.rows.map(\.place.longitude)
        points = self.rows.map { Self.point($0.place) }
        var starts = [Int](repeating: 0, count: Self.rowCount + 1)
        for row in rows { starts[Self.index(row.place.latitude) + 1] += 1 }
        for index in 1...Self.rowCount { starts[index] += starts[index - 1] }
        self.starts = starts
        size = rows.reduce(starts.count * 8) { $0 + $1.document.utf8.count + Self.rowSize }
    }

    private static func index(_ latitude: Double) -> Int {
        min(max(0, Int(((latitude + 90) * rowsPerDegree).rounded(.down))), rowCount - 1)
    }

    private static func point(_ place: ContentPosition) -> SIMD3<Double> {
        let (north, east) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
        return SIMD3(cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }

    /// The places of a box's rows, for each row of the grid.
    private func ranges(in box: ContentBox, _ body: (Range<Int>) -> Void) {
        for row in Self.index(box.south)...Self.index(box.north) where starts[row] < starts[row + 1] {
            let range = starts[row]..<starts[row + 1]
            let start = first(in: range) { $0 >= box.west }
            body(start..<first(in: start..<range.upperBound) { $0 > box.east })
        }
    }

    /// The first place of a range whose meridian is so; those behind it are too.
    private func first(in range: Range<Int>, _ isSo: (Double) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if isSo(longitudes[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ContentPlaces: ContentPlaceSource {
    typealias Failure = Never

    func firstRadius(of near: ContentQuery.Near, needed: Int) -> Double {
        var radius = Self.firstRadius
        while radius < near.radius {
            var count = 0
            for box in near.place.boxes(within: radius) { ranges(in: box) { count += $0.count } }
            // A box has more than its circle.
            if count / 2 >= needed { return radius }
            radius *= 2
        }
        return near.radius
    }

    func places(
        in box: ContentBox,
        within radius: Double,
        of center: ContentPosition,
        needed: Int
    ) -> [FoundPlace] {
        let middle = Self.point(center)
        let longest = Self.squared(2 * sin(min(radius / Sphere.radius, .pi) / 2))
        var found: [Candidate] = []
        ranges(in: box) { range in
            for index in range {
                let line = points[index] - middle
                let square = (line * line).sum()
                if square <= longest { found.append(Candidate(square: square, index: index)) }
            }
        }
        if found.count > needed {
            // The farthest of those that are needed, and what rounding may confuse with it.
            let farthest = Self.squared(found.map(\.square).sorted()[needed - 1].squareRoot())
            found.removeAll { $0.square > farthest }
        }
        return found.compactMap { candidate in
            let index = candidate.index
            let distance = center.distance(to: rows[index].place)
            return distance <= radius
                ? FoundPlace(number: rows[index].number, distance: distance, index: index) : nil
        }
    }

    func documents(of places: ArraySlice<FoundPlace>) -> [String?] { places.map { rows[$0.index].document } }

    private static func squared(_ line: Double) -> Double { (line + rounding) * (line + rounding) }
}
