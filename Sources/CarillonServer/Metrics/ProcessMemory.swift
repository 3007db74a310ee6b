import Foundation

/// What the system says of the process.
package enum ProcessMemory {
    /// Bytes of memory that the process holds; `nil` where the system does not tell.
    package static func residentBytes() -> Int? {
        kilobytes("VmRSS").map { $0 * 1_024 }
    }

    /// Bytes of it that are not backed by a file.
    package static func anonymousBytes() -> Int? {
        kilobytes("RssAnon").map { $0 * 1_024 }
    }

    private static func kilobytes(_ field: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field + ":") }) else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
