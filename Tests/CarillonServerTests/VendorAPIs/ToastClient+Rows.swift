import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@testable import CarillonServer

/// What dispatchers would have left.
extension ToastClient {
    /// Leaves the outcome of a message at the Device of a token that was registered with the uid `u-` and its byte.
    func leave(_ number: Int64, _ byte: Int, _ outcome: Delivery.Outcome, _ reason: String) async throws {
        let (app, now) = (app, server.clock.now())
        let code = reason.isEmpty ? 0 : Int64(reason.utf8.count * 100 + Int(reason.utf8.last ?? 0))
        _ = try await server.stores.database.write { connection in
            if !reason.isEmpty {
                try connection.run(
                    "INSERT INTO delivery_reasons (code, reason) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    code,
                    reason
                )
            }
            try connection.run(
                """
                INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at)
                SELECT app_id, $1, number, 1, $2, $3, $4 FROM devices WHERE app_id = $5 AND user_id = $6
                """,
                number,
                outcome,
                code,
                now,
                app,
                "u-\(byte)"
            )
            try connection.run(
                """
                INSERT INTO statistics_by_occurrence (app_id, occurrence_id, bucket, kind, reason, slot, count)
                VALUES ($1, $2, $3, $4, $5, 0, 1)
                ON CONFLICT (app_id, occurrence_id, bucket, kind, reason, slot)
                DO UPDATE SET count = statistics_by_occurrence.count + 1
                """,
                app,
                number,
                now.rawValue / 60_000,
                outcome,
                code
            )
        }
    }

    /// Lists the tokens of all Devices as dead since a message, under their Devices' numbers or others.
    func leaveDead(_ number: Int64, numbers: [Int64?]) async throws {
        let (app, now) = (app, server.clock.now())
        let campaign = try await server.engine.campaigns.campaign(of: OccurrenceID(rawValue: number), app: app)
        _ = try await server.stores.database.write { connection in
            try connection.run("UPDATE devices SET token_state = 3 WHERE app_id = $1", app)
            for own in numbers {
                try connection.run(
                    """
                    INSERT INTO invalid_tokens
                        (app_id, at, device_number, push_type, campaign_id, token, public_id, user_id, reason)
                    SELECT app_id, $1, COALESCE(CAST($2 AS BIGINT), number), push_type, $3, token, public_id, user_id,
                        'Unregistered'
                    FROM devices WHERE app_id = $4
                    """,
                    now,
                    own,
                    campaign.id,
                    app
                )
            }
        }
    }

    /// Leaves later firings of Campaigns of their own, each like a message and without any outcome.
    func leaveFirings(_ count: Int64, after number: Int64) async throws {
        let app = app
        _ = try await server.stores.database.write { connection in
            for step in 1...count {
                try connection.run(
                    """
                    INSERT INTO campaigns (app_id, id, state, audience, message, is_ad, is_test, retry_for, created_at,
                        occurrence_id, started_at)
                    SELECT c.app_id, c.id + $1, c.state, c.audience, c.message, c.is_ad, c.is_test, c.retry_for,
                        c.created_at, c.occurrence_id + $1, c.started_at
                    FROM campaigns c WHERE c.app_id = $2 AND c.occurrence_id = $3
                    """,
                    step,
                    app,
                    number
                )
                try connection.run(
                    """
                    INSERT INTO occurrences (app_id, id, campaign_id, last_device, started_at, retry_until, next_chunk)
                    SELECT o.app_id, o.id + $1, o.campaign_id + $1, o.last_device, o.started_at, o.retry_until,
                        o.next_chunk
                    FROM occurrences o WHERE o.app_id = $2 AND o.id = $3
                    """,
                    step,
                    app,
                    number
                )
            }
        }
    }
}
