import CarillonContentSets

/// A row near a point.
struct FoundPlace {
    var number: Int64
    /// Metres.
    var distance: Double
    /// Where the source has it.
    var index = 0
}

/// Where rows with a place are found: the database, or memory.
protocol ContentPlaceSource {
    associatedtype Failure: Error

    /// A radius in which there may be as many rows as are needed; at most that of the query.
    func firstRadius(of near: ContentQuery.Near, needed: Int) -> Double

    /// The rows of a box that are within some metres of a point; more than are needed may be left out, the farthest first.
    func places(
        in box: ContentBox,
        within radius: Double,
        of center: ContentPosition,
        needed: Int
    ) throws(Failure) -> [FoundPlace]

    /// The documents of some rows, in their order.
    func documents(of places: ArraySlice<FoundPlace>) throws(Failure) -> [String?]
}

/// A query of rows near a point.
struct NearReading<Source: ContentPlaceSource> {
    let query: ContentQuery
    let version: ContentSet.Version
    let source: Source

    /// Reads the page that the query asks for.
    ///
    /// - Parameters:
    ///   - near: The point.
    ///   - total: How many rows there are in all pages by their number, when that is known.
    /// - Returns: The page.
    /// - Throws: What the source throws.
    func page(near: ContentQuery.Near, total: Int? = nil) throws(Source.Failure) -> ContentPage {
        switch query.part {
        case .after(let cursor): try page(near, after: cursor?.place ?? 0)
        case .page(let number): try page(near, number: number, total: total)
        }
    }

    private func page(_ near: ContentQuery.Near, after place: Int64) throws(Source.Failure) -> ContentPage {
        // A made-up cursor may be behind all rows.
        guard place <= Int64(ContentQuery.maximumOffset) else { return ContentPage(items: [], next: nil) }
        let found = try nearest(near, needed: Int(place) + query.limit + 1)
        let items = try items(of: found.dropFirst(Int(place)).prefix(query.limit))
        let end = min(Int(place) + query.limit, found.count)
        let hasNext = found.count > end && end <= ContentQuery.maximumOffset
        return ContentPage(items: items, next: hasNext ? ContentCursor(slot: version.slot, place: Int64(end)) : nil)
    }

    /// A page by its number, of the nearest ``ContentQuery/maximumOffset`` rows.
    ///
    /// The first page of a query reads as many places as the total counts; others read those before their end.
    private func page(_ near: ContentQuery.Near, number: Int, total: Int?) throws(Source.Failure) -> ContentPage {
        let most = ContentQuery.maximumOffset
        let offset = (number - 1) * query.limit
        let end = min(offset + query.limit, most)
        if let total, offset >= total { return ContentPage(items: [], next: nil, total: total) }
        let found = try nearest(near, needed: total == nil ? most : end)
        let items = try items(of: found.prefix(end).dropFirst(offset))
        return ContentPage(items: items, next: nil, total: total ?? min(found.count, most))
    }

    private func items(of places: ArraySlice<FoundPlace>) throws(Source.Failure) -> [ContentPage.Item] {
        zip(places, try source.documents(of: places)).compactMap { place, document in
            document.map { ContentPage.Item(document: $0, distance: place.distance) }
        }
    }

    /// Rows near a point, the nearest first: at least as many as are needed, or all within the radius.
    private func nearest(_ near: ContentQuery.Near, needed: Int) throws(Source.Failure) -> [FoundPlace] {
        var radius = source.firstRadius(of: near, needed: needed)
        while true {
            let boxes = near.place.boxes(within: radius)
            var places: [FoundPlace] = []
            for box in boxes { places += try source.places(in: box, within: radius, of: near.place, needed: needed) }
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
