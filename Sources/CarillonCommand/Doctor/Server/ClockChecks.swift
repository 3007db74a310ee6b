import CarillonModel

/// Clocks to compare this computer's with.
struct ClockComparison: Hashable, Sendable {
    /// This computer's.
    var now: Timestamp
    /// PostgreSQL's.
    var database: Timestamp?
    /// The newest record of the store.
    var newestRecord: Timestamp?
    /// APNs', in whole seconds since 1970.
    var apns: Int64?
}

extension [ServerFinding] {
    /// Maximum deviation in seconds: beyond it Apple may refuse provider tokens.
    private static var apnsTolerance: Int64 { 300 }
    private static var databaseTolerance: Int64 { 5 }
    private static var recordTolerance: Int64 { 60 }

    /// Compares the clock with others.
    static func clock(_ times: ClockComparison) -> Self {
        let advice = "Set this computer's clock, by NTP: timedatectl set-ntp true"
        var findings: Self = []
        if let newest = times.newestRecord, seconds(times.now, newest) < -recordTolerance {
            findings.append(
                .problem(
                    .clock,
                    "It is \(-seconds(times.now, newest)) seconds behind the newest record in the store.",
                    advice + ", or another node's clock is ahead."
                )
            )
        }
        if let database = times.database, abs(seconds(times.now, database)) > databaseTolerance {
            findings.append(.problem(.clock, off(seconds(times.now, database), "PostgreSQL's"), advice))
        }
        if let apns = times.apns, abs(times.now.rawValue / 1_000 - apns) > apnsTolerance {
            findings.append(.problem(.clock, off(times.now.rawValue / 1_000 - apns, "APNs'"), advice))
        }
        guard findings.isEmpty else { return findings }
        let others = [
            times.newestRecord.map { _ in "the newest record" }, times.database.map { _ in "PostgreSQL" },
            times.apns.map { _ in "APNs" },
        ].compactMap(\.self)
        let names = others.joined(separator: ", ")
        let text = others.isEmpty ? "there is nothing to compare it with" : "agrees with \(names)"
        return [.ok(.clock, "\(times.now): \(text).")]
    }

    private static func seconds(_ here: Timestamp, _ there: Timestamp) -> Int64 {
        (here.rawValue - there.rawValue) / 1_000
    }

    private static func off(_ seconds: Int64, _ whose: String) -> String {
        "It is \(abs(seconds)) seconds \(seconds < 0 ? "behind" : "ahead of") \(whose)."
    }
}
