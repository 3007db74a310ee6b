import CZip
public import CarillonModel
import Foundation
import Testing

@testable import CarillonContentSets

/// A zip archive of some files, packed by libzip.
func zipped(_ files: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
    var error = zip_error_t()
    let target = try #require(zip_source_buffer_create(nil, 0, 1, &error))
    zip_source_keep(target)
    defer { zip_source_free(target) }
    let archive = try #require(zip_open_from_source(target, ZIP_TRUNCATE, &error))
    var held: [UnsafeMutableBufferPointer<UInt8>] = []
    defer { for bytes in held { bytes.deallocate() } }
    for file in files {
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, file.bytes.count))
        _ = bytes.initialize(from: file.bytes)
        held.append(bytes)
        let source = try #require(zip_source_buffer(archive, bytes.baseAddress, UInt64(file.bytes.count), 0))
        try #require(zip_file_add(archive, file.name, source, zip_flags_t(ZIP_FL_ENC_UTF_8)) >= 0)
    }
    try #require(zip_close(archive) == 0)
    try #require(zip_source_open(target) == 0)
    zip_source_seek(target, 0, SEEK_END)
    let size = zip_source_tell(target)
    zip_source_seek(target, 0, SEEK_SET)
    var packed = [UInt8](repeating: 0, count: Int(size))
    try #require(zip_source_read(target, &packed, UInt64(size)) == size)
    zip_source_close(target)
    return packed
}

func zipped(_ files: [String: String]) throws -> [UInt8] {
    try zipped(files.sorted { $0.key < $1.key }.map { ($0.key, Array($0.value.utf8)) })
}

func instant(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

extension ContentFile {
    /// The rows of a table as answers have them.
    func documents(_ name: String, of definition: ContentSetDefinition) throws -> [JSONValue] {
        let table = try #require(definition.table(name))
        return (tables[name] ?? []).map { $0.json(table) }
    }
}

/// Reads a file of text.
func read(
    _ text: String,
    _ format: ContentFormat,
    _ definition: ContentSetDefinition,
    table: String? = nil
) throws -> ContentFile {
    try ContentFile(Array(text.utf8), format, for: definition, table: table)
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
}
