import CarillonContentSets

/// A row near a point.
struct FoundPlace {
    var number: Int64
    /// Metres.
    var distance: Double
}

/// Where rows with a place are found: the database, or memory.
protocol ContentPlaceSource {
    associatedtype Failure: Error

    /// The rows of a box that are within some metres of a point.
    func places(
        in box: ContentBox,
        within radius: Double,
        of center: ContentPosition
    ) throws(Failure) -> [FoundPlace]

    /// The documents of some rows by their numbers.
    func documents(of numbers: [Int64]) throws(Failure) -> [Int64: String]
}

/// A query of rows near a point.
struct NearReading<Source: ContentPlaceSource> {
    let query: ContentQuery
    let version: ContentSet.Version
    let source: Source

    /// The first radius that is tried, in metres; each next one is twice as large.
    private var firstRadius: Double { 250 }

    func page(near: ContentQuery.Near) throws(Source.Failure) -> ContentPage {
        let offset: Int
        let isNumbered: Bool
        switch query.part {
        case .after(let cursor):
            // A made-up cursor may be behind all rows.
            let place = cursor?.place ?? 0
            guard place <= Int64(ContentQuery.maximumOffset) else { return ContentPage(items: [], next: nil) }
            offset = Int(place)
            isNumbered = false
        case .page(let number): (offset, isNumbered) = ((number - 1) * query.limit, true)
        }
        let needed = isNumbered ? Int.max : offset + query.limit + 1
        let found = try nearest(near, needed: needed)
        let shown = found.dropFirst(offset).prefix(query.limit)
        let documents = try source.documents(of: shown.map(\.number))
        let items = shown.compactMap { place in
            documents[place.number].map { ContentPage.Item(document: $0, distance: place.distance) }
        }
        let end = offset + shown.count
        let hasNext = !isNumbered && found.count > end && end <= ContentQuery.maximumOffset
        let next =
            hasNext ? ContentCursor(slot: version.slot, place: Int64(end)) : nil
        return ContentPage(items: items, next: next, total: isNumbered ? found.count : nil)
    }

    /// Rows near a point, the nearest first: at least as many as are needed, or all within the radius.
    private func nearest(_ near: ContentQuery.Near, needed: Int) throws(Source.Failure) -> [FoundPlace] {
        var radius = needed == .max ? near.radius : min(near.radius, firstRadius)
        while true {
            let boxes = near.place.boxes(within: radius)
            var places: [FoundPlace] = []
            for box in boxes { places += try source.places(in: box, within: radius, of: near.place) }
            // At the date line a place may be in two boxes.
            var seen: Set<Int64> = []
            if boxes.count > 1 { places = places.filter { seen.insert($0.number).inserted } }
            if places.count >= needed || radius >= near.radius {
                return places.sorted { ($0.distance, $0.number) < ($1.distance, $1.number) }
            }
            radius = min(near.radius, 2 * radius)
        }
    }
}
