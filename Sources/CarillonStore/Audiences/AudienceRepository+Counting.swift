package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import Foundation

/// Counts all of an Audience where that costs little, else a sample of it.
///
/// A sample takes one window of Device numbers at a random place of each of at least a hundred equal parts; what it
/// finds is multiplied by how much there is of what was not looked at. Parts come in a random order, so that the count
/// may stop when it has cost enough.
extension AudienceRepository {
    private static let sampleCount = 100
    /// No part is larger: reading one whole stays short.
    private static let largestPart: Int64 = 50_000
    /// After how long a sample ends, once it has some of the parts.
    private static let sampleTime = Duration.milliseconds(500)
    private static let fewestParts = 30

    package func count(_ question: AudienceCountQuestion) async throws(StoreError) -> AudienceCount {
        let budget = budget
        let plan = try await database.read { connection in
            try CountPlan(question, budget: budget, in: connection)
        }
        switch plan.extent {
        case .listed(let list): return try await count(list, question)
        case .all(let last): return try await counter(of: [0..<last], question, plan.users).count
        case .sample(let last, let width):
            return try await sample(through: last, width: width, question, plan.users)
        }
    }

    // MARK: - Private

    private func count(
        _ list: AudienceList,
        _ question: AudienceCountQuestion
    ) async throws(StoreError) -> AudienceCount {
        var total = AudienceCounter(question)
        var last: DeviceNumber? = DeviceNumber(rawValue: 0)
        while let after = last {
            let (counter, next) = try await database.read { connection in
                var counter = AudienceCounter(question)
                let next = try counter.read(list, after: after, connection)
                return (counter, next)
            }
            total.add(counter)
            last = next
        }
        return total.count
    }

    private func sample(
        through last: Int64,
        width: Int64,
        _ question: AudienceCountQuestion,
        _ users: AudienceList?
    ) async throws(StoreError) -> AudienceCount {
        let parts = max(Int64(Self.sampleCount), last / Self.largestPart)
        let size = max(1, last / parts)
        let width = min(width, size)
        let end = ContinuousClock.now + Self.sampleTime
        var total = AudienceCounter(question)
        var matches: [Double] = []
        for part in (0..<parts).shuffled() {
            guard matches.count < Self.fewestParts || ContinuousClock.now < end else { break }
            let start = part * size + Int64.random(in: 0...(size - width))
            let counter = try await counter(of: [start..<(start + width)], question, users)
            matches.append(Double(counter.count.devices))
            total.add(counter)
            guard total.cost < 4 * budget || matches.count < Self.fewestParts else { break }
        }
        return total.count.scaled(matches, width: Double(width), last: Double(last))
    }

    /// Counts in ranges of numbers, each from the number before its first.
    private func counter(
        of ranges: [Range<Int64>],
        _ question: AudienceCountQuestion,
        _ users: AudienceList?
    ) async throws(StoreError) -> AudienceCounter {
        try await database.read { connection in
            var counter = AudienceCounter(question)
            let reading = try question.reading(budget: .max / 2, users: users, in: connection)
            for range in ranges {
                try counter.read(reading, range, connection)
            }
            return counter
        }
    }
}

extension AudienceCountQuestion {
    /// The rule; `nil` for everybody.
    fileprivate var rule: AudienceRule? {
        if case .rule(let rule) = audience { rule } else { nil }
    }

    fileprivate func reading(
        budget: Int,
        users: AudienceList? = nil,
        in connection: any SQLConnection
    ) throws -> AudienceReading {
        try AudienceReading(rule, app: app, now: now, budget: budget, users: users, in: connection)
    }
}

/// How much of an Audience is looked at.
private struct CountPlan: Sendable {
    enum Extent: Sendable {
        case listed(AudienceList)
        /// All numbers through one.
        case all(last: Int64)
        /// Windows of so many numbers, of those through one.
        case sample(last: Int64, width: Int64)
    }

    let extent: Extent
    /// Users of whom a Device must be one's, when they have too many to be looked up.
    let users: AudienceList?

    init(_ question: AudienceCountQuestion, budget: Int, in connection: any SQLConnection) throws {
        let explicit = AudienceList(question.audience)
        if let list = explicit ?? question.rule.flatMap({ AudienceList($0) }),
            try !connection.audiences.isLong(list, app: question.app)
        {
            (extent, users) = (.listed(list), nil)
            return
        }
        users = explicit
        let reading = try question.reading(budget: budget, users: explicit, in: connection)
        let sql: SQL = "SELECT MAX(number) FROM devices WHERE app_id = $1"
        let last = try connection.first(sql, question.app, as: DeviceNumber?.self)
        let through = last.flatMap(\.self) ?? DeviceNumber(rawValue: 0)
        let end = try reading.route(after: DeviceNumber(rawValue: 0), through: through, in: connection).end
        extent =
            end >= through
            ? .all(last: through.rawValue)
            : .sample(last: through.rawValue, width: max(1, end.rawValue / 100))
    }
}

/// Counts matching Devices as they are read.
private struct AudienceCounter: Sendable {
    private(set) var count = AudienceCount()
    /// How many numbers were asked for.
    private(set) var cost = 0
    private let question: AudienceCountQuestion

    init(_ question: AudienceCountQuestion) { self.question = question }

    mutating func read(
        _ reading: AudienceReading,
        _ range: Range<Int64>,
        _ connection: any SQLConnection
    ) throws {
        let after = DeviceNumber(rawValue: range.lowerBound)
        let through = DeviceNumber(rawValue: range.upperBound)
        cost += range.count
        let route = try reading.route(after: after, through: through, in: connection).route
        guard let sql = reading.statement(route, columns, connection.dialect) else { return }
        try count(sql, connection, after: after, through: through)
    }

    /// Counts the next Devices of a list.
    ///
    /// - Returns: The last number that was looked at; `nil` at the end of the list.
    mutating func read(
        _ list: AudienceList,
        after: DeviceNumber,
        _ connection: any SQLConnection
    ) throws -> DeviceNumber? {
        let through = DeviceNumber(rawValue: .max)
        let numbers = try connection.audiences.numbers(of: list, app: question.app, after: after, through: through)
        guard let last = numbers.last else { return nil }
        let reading = try question.reading(budget: .max / 2, in: connection)
        let sql = reading.statement(of: numbers, columns, connection.dialect)
        try count(sql, connection, after: after, through: last)
        return numbers.count < AudienceList.portion ? nil : last
    }

    private var columns: AudienceStatement.Columns { .reach(oldest: question.oldestRegistration) }

    private mutating func count(
        _ sql: ComposedSQL,
        _ connection: any SQLConnection,
        after: DeviceNumber,
        through: DeviceNumber
    ) throws {
        let statement = try connection.prepare(sql)
        defer { statement.reset() }
        sql.bind(to: statement) { slot in
            switch slot {
            case .app: question.app.rawValue
            case .after: after.rawValue
            case .through: through.rawValue
            case .limit: through.rawValue - after.rawValue
            }
        }
        var texts = InternedTexts()
        var languages: [Int] = [0]
        while try statement.next() {
            let number = Int(texts.number(of: statement.bytes(ReachColumn.language.rawValue)))
            if number >= languages.count { languages.append(0) }
            languages[number] += 1
            add(statement, language: texts[UInt16(number)])
        }
        for (number, devices) in languages.enumerated() where devices > 0 {
            count.languages[texts[UInt16(number)] ?? "", default: 0] += devices
        }
    }

    private mutating func add(_ row: any SQLStatement, language: String?) {
        count.devices += 1
        if row.bool(ReachColumn.hasVoIPToken.rawValue) { count.voip += 1 }
        let consent = ConsentBits.read(row, at: ReachColumn.consent.rawValue)
        guard row.bool(ReachColumn.hasToken.rawValue), consent.contains(.notifications) else { return }
        count.notifications += 1
        let isFree = !question.adRule.covers(language: language)
        guard isFree || consent.contains(.ads) else { return }
        count.ads += 1
        if isFree || consent.contains(.nightAds) { count.nightAds += 1 }
    }

    mutating func add(_ other: AudienceCounter) {
        cost += other.cost
        count.devices += other.count.devices
        count.notifications += other.count.notifications
        count.ads += other.count.ads
        count.nightAds += other.count.nightAds
        count.voip += other.count.voip
        count.languages.merge(other.count.languages, uniquingKeysWith: +)
    }
}

extension AudienceCount {
    /// What a sample says about all.
    ///
    /// - Parameters:
    ///   - matches: How many Devices matched in each window.
    ///   - width: How many numbers a window has.
    ///   - last: How many numbers there are.
    /// - Returns: The count with its factor and margin.
    fileprivate func scaled(_ matches: [Double], width: Double, last: Double) -> AudienceCount {
        var count = self
        let windows = Double(matches.count)
        count.isExact = false
        count.factor = last / (windows * width)
        let mean = matches.reduce(0, +) / windows
        let variance = matches.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(1, windows - 1)
        let unseen = max(0, 1 - windows * width / last)
        count.margin = 1.96 * last / width * (variance / windows * unseen).squareRoot()
        return count
    }
}
