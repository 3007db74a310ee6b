import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension Delivery.Outcome {
    /// What `delivery_counts` calls notifications that will be tried again, which have no delivery yet.
    static let retryingCode: Int64 = 0
}

extension DeliveryTable {
    /// The most different reasons that are kept; a push service's words are few, and whatever comes after is `Other`.
    private static var reasonLimit: Int64 { 10_000 }

    /// The number of a reason, made when it is met first.
    func code(of reason: FailureReason) throws -> Int64 {
        if let known = try knownCode(of: reason) { return known }
        let last = try connection.first("SELECT MAX(code) FROM delivery_reasons", as: Int64?.self)
        let next = (last.flatMap(\.self) ?? 0) + 1
        if next > Self.reasonLimit {
            let other = FailureReason(rawValue: "Other")
            if reason != other { return try code(of: other) }
        }
        try connection.run("INSERT INTO delivery_reasons (code, reason) VALUES ($1, $2)", next, reason.rawValue)
        return next
    }

    private func knownCode(of reason: FailureReason) throws -> Int64? {
        try connection.first("SELECT code FROM delivery_reasons WHERE reason = $1", reason.rawValue, as: Int64.self)
    }
}
