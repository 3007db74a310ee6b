import CarillonEngine
import CarillonModel
import Foundation

/// Categories as the JSON of the API, in one column.
extension DeviceCategories {
    /// The text for the column; the same for the same categories.
    func stored() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { throw StoreError.failed("Categories cannot be written.") }
        return String(decoding: data, as: UTF8.self)
    }

    /// Reads the column.
    ///
    /// A registration reads it on the writer's thread, so a plain list is read without a decoder: where nothing is
    /// escaped, a quotation mark only ever begins or ends an id.
    static func stored(_ text: String) throws -> DeviceCategories {
        if text.hasPrefix("[\""), text.hasSuffix("\"]"), !text.utf8.contains(UInt8(ascii: "\\")) {
            return .list(text.dropFirst(2).dropLast(2).components(separatedBy: "\",\""))
        }
        guard let categories = try? JSONDecoder().decode(DeviceCategories.self, from: Data(text.utf8)) else {
            throw StoreError.failed("A Device's categories are damaged.")
        }
        return categories
    }
}
