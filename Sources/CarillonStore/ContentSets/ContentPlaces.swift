import CarillonContentSets

/// The rows of one version that have a place, in memory: a version never changes once it is published.
///
/// They are in rows of a grid from south to north, and in each from west to east.
struct ContentPlaces: Sendable {
    struct Row: Sendable {
        var number: Int64
        var place: ContentPosition
        var document: String
    }

    /// Rows of the grid in a degree: each is about a kilometre high.
    private static let rowsPerDegree = 100.0
    private static let rowCount = 18_001

    private let rows: [Row]
    /// Where each row of the grid begins, and the end of the last one.
    private let starts: [Int]
    private let indexes: [Int64: Int]
    /// About how many bytes it takes.
    let size: Int

    init(_ rows: [Row]) {
        self.rows = rows.sorted { left, right in
            let (one, other) = (Self.index(left.place.latitude), Self.index(right.place.latitude))
            return (one, left.place.longitude, left.number) < (other, right.place.longitude, right.number)
        }
        var starts = [Int](repeating: 0, count: Self.rowCount + 1)
        for row in rows { starts[Self.index(row.place.latitude) + 1] += 1 }
        for index in 1...Self.rowCount { starts[index] += starts[index - 1] }
        self.starts = starts
        indexes = Dictionary(self.rows.enumerated().map { ($1.number, $0) }) { first, _ in first }
        size = rows.reduce(starts.count * 8) { $0 + $1.document.utf8.count + 128 }
    }

    private static func index(_ latitude: Double) -> Int {
        min(max(0, Int(((latitude + 90) * rowsPerDegree).rounded(.down))), rowCount - 1)
    }

    /// The first row of a range that is not west of a meridian.
    private func first(from west: Double, in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = low + (high - low) / 2
            if rows[middle].place.longitude < west { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ContentPlaces: ContentPlaceSource {
    typealias Failure = Never

    func places(in box: ContentBox, within radius: Double, of center: ContentPosition) -> [FoundPlace] {
        var found: [FoundPlace] = []
        for row in Self.index(box.south)...Self.index(box.north) {
            let range = starts[row]..<starts[row + 1]
            var index = first(from: box.west, in: range)
            while index < range.upperBound, rows[index].place.longitude <= box.east {
                let distance = center.distance(to: rows[index].place)
                if distance <= radius { found.append(FoundPlace(number: rows[index].number, distance: distance)) }
                index += 1
            }
        }
        return found
    }

    func documents(of numbers: [Int64]) -> [Int64: String] {
        var documents: [Int64: String] = [:]
        documents.reserveCapacity(numbers.count)
        for number in numbers { documents[number] = indexes[number].map { rows[$0].document } }
        return documents
    }
}
