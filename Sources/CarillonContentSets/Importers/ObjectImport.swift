import CarillonModel
import CarillonReaders

/// Objects of JSON: elements of an array, one in each line, or elements of an array in an object.
enum ObjectImport {
    /// Where a file has a record: many files are one line.
    struct Place: CustomStringConvertible {
        /// From 1.
        var record: Int
        var line: Int

        var description: String { "record \(record) (line \(line))" }
    }

    /// Arrays that hold the records of an object.
    private static let envelopes: Set<String> = ["data", "items", "records", "results", "rows", "value"]

    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        let wanted = collector.builder?.members
        try each(bytes, limits, wanted: wanted, envelopes: envelopes) { record, _, place in
            guard let record else { return collector.skip("\(place)", "is no object of JSON") }
            try collector.add(record, at: "\(place)")
        }
    }

    /// Reads objects.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - limits: How much it may have.
    ///   - wanted: Their members that are needed; `nil` for all.
    ///   - envelopes: The names of arrays with objects, in an object.
    ///   - body: Receives each object, `nil` for a broken one; the array's name; and its place.
    /// - Throws: As ``TextFile/read(_:_:_:)``.
    static func each(
        _ bytes: [UInt8],
        _ limits: ContentFile.Limits,
        wanted: Set<String>?,
        envelopes: Set<String>,
        _ body: (_ record: [String: JSONValue]?, _ envelope: String?, _ place: Place) throws -> Void
    ) throws {
        var reader = ObjectReader(wanted: wanted, envelopes: envelopes)
        var count = 0
        func receive(_ item: ObjectReader.Item) throws {
            switch item {
            case .names: break
            case .object(let line, let members, let envelope):
                count += 1
                try body(members, envelope, Place(record: count, line: line))
            case .problem(_, ObjectReader.cutOffProblem): throw ContentFileProblem(ObjectReader.cutOffProblem)
            case .problem(let line, _):
                count += 1
                try body(nil, nil, Place(record: count, line: line))
            }
        }
        try TextFile.read(bytes, limits) { try reader.read($0, receive) }
        try reader.finish(receive)
    }
}
