import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// A tag with the number that rows know it by.
struct NumberedTag {
    var id: TagID
    var number: Int64
}

/// What a change makes of a User's tags.
struct TagPlan {
    var tags: Set<TagID>
    var numbers: TagNumbers
    var isChange: Bool
}

extension TagTable {
    /// The tags of a User that the App still has.
    func tags(of user: UserID, app: AppID) throws -> [NumberedTag] {
        let numbers = try tagNumbers(of: user, app: app).numbers
        guard !numbers.isEmpty else { return [] }
        return try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT id, number FROM tags
                    WHERE app_id = $1 AND number IN (SELECT value FROM json_each($2)) ORDER BY number
                    """,
                postgreSQL: """
                    SELECT id, number FROM tags
                    WHERE app_id = $1 AND number = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
                        ORDER BY number
                    """
            ),
            app,
            SQLList(numbers, connection.dialect),
            as: (TagID, Int64).self
        ).map { NumberedTag(id: $0, number: $1) }
    }

    /// Reads a User's tags, makes the plan and carries it out.
    func apply(
        _ change: TagChange,
        to user: UserID,
        app: AppID
    ) throws -> Result<Set<TagID>, EngineError> {
        switch try plan(change, for: user, app: app) {
        case .failure(let error): return .failure(error)
        case .success(let plan):
            try carryOut(plan, of: user, app: app)
            return .success(plan.tags)
        }
    }

    /// What a change makes of a User's tags; nothing is written.
    func plan(
        _ change: TagChange,
        for user: UserID,
        app: AppID
    ) throws -> Result<TagPlan, EngineError> {
        let current = try tags(of: user, app: app)
        var numbers: [TagID: Int64] = [:]
        for tag in current { numbers[tag.id] = tag.number }
        let planned = try change.plan(for: Set(numbers.keys)) { tag throws(StoreError) in
            numbers[tag] = try tagNumber(tag, app: app)
            return numbers[tag] != nil
        }
        switch planned {
        case .failure(let error): return .failure(error)
        case .success(let result):
            let isSame = result == Set(current.map(\.id))
            if !isSame, try hasTooManyDevices(user, app: app) {
                return .failure(.conflict("The User has more than \(Tags.maximumDevices) Devices."))
            }
            let plan = TagPlan(
                tags: result,
                numbers: TagNumbers(result.compactMap { numbers[$0] }),
                isChange: !isSame
            )
            return .success(plan)
        }
    }

    func carryOut(_ plan: TagPlan, of user: UserID, app: AppID) throws {
        if plan.isChange { try setTags(plan.numbers, of: user, app: app) }
    }
}
