import CarillonEngine
import CarillonModel
package import CarillonOperatorModel
import CarillonSQL

extension Delivery.Outcome: StoredAsCode {
    package var code: Int64 {
        switch self {
        case .accepted: 1
        case .failed: 2
        case .skipped: 3
        case .expired: 4
        }
    }

    package init?(code: Int64) {
        switch code {
        case 1: self = .accepted
        case 2: self = .failed
        case 3: self = .skipped
        case 4: self = .expired
        default: return nil
        }
    }

    /// What `delivery_counts` calls notifications that will be tried again, which have no delivery yet.
    static let retryingCode: Int64 = 0
}

extension SQLConnection {
    /// The most different reasons that are kept; a push service's words are few, and whatever comes after is `Other`.
    private static var reasonLimit: Int64 { 10_000 }

    /// The number of a reason, made when it is met first.
    func code(of reason: FailureReason) throws(StoreError) -> Int64 {
        if let known = try knownCode(of: reason) { return known }
        let next = try first("SELECT COALESCE(MAX(code), 0) + 1 FROM delivery_reasons") { $0.int64(0) } ?? 1
        if next > Self.reasonLimit {
            let other = FailureReason(rawValue: "Other")
            if reason != other { return try code(of: other) }
        }
        try run("INSERT INTO delivery_reasons (code, reason) VALUES ($1, $2)", next, reason.rawValue)
        return next
    }

    private func knownCode(of reason: FailureReason) throws(StoreError) -> Int64? {
        try first("SELECT code FROM delivery_reasons WHERE reason = $1", reason.rawValue) { $0.int64(0) }
    }
}
