import Foundation

/// The processor's cores.
enum Cores {
    /// How many cores this process may use, which may be fewer than there are: `taskset` and systemd's `CPUAffinity`
    /// restrict it.
    static var usable: Int {
        let all = max(1, ProcessInfo.processInfo.activeProcessorCount)
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let allowed = count(inStatus: status)
        else { return all }
        return min(all, allowed)
    }

    /// Counts the cores in a process' status on Linux (`Cpus_allowed_list: 0-1,3`); `nil` when there is no such list.
    static func count(inStatus status: String) -> Int? {
        let name = "Cpus_allowed_list:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        var count = 0
        for range in line.dropFirst(name.count).split(separator: ",") {
            let bounds = range.split(separator: "-").compactMap { Int($0.filter(\.isNumber)) }
            guard let first = bounds.first, let last = bounds.last, first <= last, last < 100_000 else { return nil }
            count += last - first + 1
        }
        return count > 0 ? count : nil
    }
}
