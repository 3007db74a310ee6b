import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@Suite struct PersonalStoreTests {
    private static let app = AppID(rawValue: 7)

    @Test("Every kind of value is found, and nothing of others", arguments: StoreKind.allCases)
    func findsValues(_ kind: StoreKind) async throws {
        try await kind.withDatabase { database in
            let stores = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            try await database.write { connection in
                for number in 1...4 {
                    try connection.insertSample(number, user: number == 3 ? nil : "u\(number)", Self.app)
                }
                try connection.insertSample(1, user: "u1", AppID(rawValue: 8))
                try connection.insertAttribute("u1", "a.b-c_d", 1, text: "텍스트 \"q\"", Self.app)
                try connection.insertAttribute("u1", "n", 2, number: 3, whole: 9_007_199_254_740_993, Self.app)
                try connection.insertAttribute("u2", "n", 3, number: 2.5, Self.app)
                try connection.insertAttribute("u4", "n", 4, number: 1, Self.app)
                try connection.insertAttribute("u1", "other", 1, text: "no", Self.app)
                try connection.insertAttribute("u1", "n", 1, text: "another App's", AppID(rawValue: 8))
            }
            let fields: [PersonalField] = [
                .attribute("n"), .attribute("a.b-c_d"), .user, .device(.language), .device(.country), .consent(.ads),
                .device(.model),
            ]

            let values = try await stores.deliveries.personalValues(
                of: fields,
                for: [4, 1, 2, 3, 1, 99].map { DeviceNumber(rawValue: $0) },
                in: nil,
                app: Self.app
            )

            func text(_ field: PersonalField, _ number: Int64) -> String? {
                values.text(of: field, of: DeviceNumber(rawValue: number))
            }
            #expect((1...4).map { text(.attribute("n"), $0) } == ["9007199254740993", "2.5", nil, "true"])
            #expect((1...4).map { text(.attribute("a.b-c_d"), $0) } == ["텍스트 \"q\"", nil, nil, nil])
            #expect((1...4).map { text(.user, $0) } == ["u1", "u2", nil, "u4"])
            #expect(text(.device(.language), 3) == "ko-KR" && text(.device(.country), 3) == "KR")
            #expect(text(.consent(.ads), 2) == "2023-11-15 07:13")
            #expect(text(.device(.model), 1) == nil && text(.user, 99) == nil)
        }
    }

    @Test("Rows are read only by key") func readsByKey() async throws {
        try await StoreKind.sqliteInMemory.withDatabase { database in
            _ = try await Stores(migrating: database, now: Timestamp(rawValue: 0))
            let plans = try await database.read { connection in
                var plans: [[String]] = []
                for sql in PersonalSQL.reading + RecipientSQL.reading { plans.append(try connection.plan(of: sql)) }
                return plans
            }

            #expect(
                plans == [
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:",
                        "SEARCH d USING PRIMARY KEY (app_id=? AND number=?)",
                    ],
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:",
                        "SEARCH d USING PRIMARY KEY (app_id=? AND number=?)",
                        "SCAN w VIRTUAL TABLE INDEX 1:",
                        "SEARCH a USING PRIMARY KEY (app_id=? AND user_id=? AND name=?)",
                    ],
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:",
                        "SEARCH b USING PRIMARY KEY (app_id=? AND device_number=?)",
                    ],
                    ["SEARCH campaign_recipients USING PRIMARY KEY (app_id=? AND campaign_id=?)"],
                    ["SEARCH campaign_recipients USING PRIMARY KEY (app_id=? AND campaign_id=? AND user_id>?)"],
                    [
                        "SCAN n VIRTUAL TABLE INDEX 1:",
                        "SEARCH d USING PRIMARY KEY (app_id=? AND number=?)",
                        "SEARCH r USING PRIMARY KEY (app_id=? AND campaign_id=? AND user_id=?)",
                    ],
                    [
                        "SEARCH d USING PRIMARY KEY (app_id=? AND number=?)",
                        "SCAN c VIRTUAL TABLE INDEX 1:",
                        "SEARCH q USING PRIMARY KEY (app_id=? AND id=?)",
                        "SEARCH r USING PRIMARY KEY (app_id=? AND campaign_id=? AND user_id=?)",
                    ],
                    [
                        "SEARCH r USING INDEX campaign_recipients_by_user (app_id=? AND user_id=? AND campaign_id>?)",
                        "CORRELATED SCALAR SUBQUERY 2",
                        "SEARCH u USING PRIMARY KEY (app_id=? AND list_id=?)",
                        "CORRELATED SCALAR SUBQUERY 1",
                        "SEARCH c USING COVERING INDEX campaigns_by_recipients (app_id=? AND recipients_id=?)",
                    ],
                ]
            )
        }
    }
}

extension SQLConnection {
    fileprivate func insertSample(_ number: Int, user: String?, _ app: AppID) throws(StoreError) {
        var id = [UInt8](repeating: UInt8(app.rawValue), count: 16)
        id[15] = UInt8(number)
        try run(
            """
            INSERT INTO devices (app_id, number, public_id, user_id, consent, push_type, language, country, time_zone,
                ads_since, created_at, registered_at)
            VALUES ($1, $2, $3, $4, 3, 1, 'ko-KR', 'KR', 'Asia/Seoul', 1700000000000, 0, 0)
            """,
            app,
            number,
            id,
            user
        )
    }

    fileprivate func insertAttribute(
        _ user: String,
        _ name: String,
        _ kind: Int,
        text: String? = nil,
        number: Double? = nil,
        whole: Int64? = nil,
        _ app: AppID
    ) throws(StoreError) {
        try run(
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
