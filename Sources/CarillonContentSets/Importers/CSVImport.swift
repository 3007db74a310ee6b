import CarillonModel
import CarillonReaders

/// Tables with a header, whose columns may come in any order and case.
enum CSVImport {
    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        let wanted = collector.builder?.columns ?? [:]
        var columns: [(index: Int, name: String)] = []
        var count = 0
        try TextFile.readTable({ try TextFile.read(bytes, limits, $0) }) { names in
            count = names.count
            columns = names.enumerated().compactMap { index, name in
                wanted[name.lowercased()].map { (index, $0) }
            }
            guard !columns.isEmpty else {
                throw ContentFileProblem("has none of the columns that the table reads")
            }
            guard Set(columns.map(\.name)).count == columns.count else {
                throw ContentFileProblem("has a column twice")
            }
        } row: { row, line, problem in
            guard let row else { return collector.skip("line \(line)", problem) }
            guard row.isText else { return collector.skip("line \(line)", "is not in UTF-8") }
            guard row.count <= count else {
                return collector.skip("line \(line)", "has more fields than the first line")
            }
            var record: [String: JSONValue] = [:]
            for (index, name) in columns {
                if let text = row.text(index) { record[name] = .string(text) }
            }
            try collector.add(record, at: "line \(line)")
        }
    }
}
