import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore

extension DeliveryWorld {
    /// Sends a Campaign and waits until it is sent.
    func deliver(_ request: CampaignRequest) async throws -> Campaign {
        try await dispatching(dispatcher()) {
            let campaign = try await campaigns.create(app: app, request)
            return try await wait(for: .sent, of: campaign.id)
        }
    }

    /// Sets attributes of a User.
    func set(_ name: String, _ value: JSONValue, of user: String) async throws {
        let app = app
        _ = try await database.write { connection in
            let columns: (Int, String?, Double?, Int64?)? =
                switch value {
                case .string(let text): (1, text, nil, nil)
                case .integer(let number): (2, nil, Double(number), number)
                case .number(let number): (3, nil, number, nil)
                case .bool(let flag): (4, nil, flag ? 1 : 0, nil)
                case .null, .array, .object: nil
                }
            guard let (kind, text, number, whole) = columns else { return }
            try connection.run(
                """
                INSERT INTO user_attributes (app_id, user_id, name, kind, text, number, whole)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                """,
                app,
                user,
                name,
                kind,
                text,
                number,
                whole
            )
        }
    }

    /// The payload of each Device, without the receipt.
    var texts: [Int: String] {
        Dictionary(
            sender.sent.map { (Int($0.device.rawValue), String(decoding: $0.payload.dropLast(25), as: UTF8.self)) }
        ) { first, _ in first }
    }
}
