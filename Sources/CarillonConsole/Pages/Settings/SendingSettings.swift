import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What stands between the composer and phones, and when phones are left alone.
enum SendingSettings: SettingsForm {
    static let tab = SettingsTab.sending
    /// Lower guards let out what they stopped.
    static var isFresh: Bool { true }

    static func read(_ visit: Visit) async throws -> App { try await visit.engine.apps.app(try visit.app.id) }

    static func sections(_ app: App, _ texts: Texts) -> [SettingsSection] {
        let (guards, rules) = (app.sendGuards, app.sendingRules)
        return [
            SettingsSection(
                "guards",
                [
                    SettingsField("confirmAbove", guards.confirmAbove),
                    SettingsField("approveAbove", guards.approveAbove), SettingsField("hold", guards.hold),
                    SettingsField("appliesToKeys", isOn: guards.appliesToKeys),
                ]
            ),
            SettingsSection(
                "quiet",
                [
                    SettingsField("quietFrom", .text, rules.quietHours.map { "\($0.from)" } ?? ""),
                    SettingsField("quietUntil", .text, rules.quietHours.map { "\($0.until)" } ?? ""),
                    SettingsField("quietPolicy", rules.quietHours?.policy ?? .skip, texts),
                    SettingsField("quietZone", .text, rules.quietHours?.zone ?? "UTC"),
                ]
            ),
            SettingsSection("caps", (0..<FrequencyCap.maximumCount).flatMap { caps(rules, $0, texts) }),
            SettingsSection(
                "others",
                [
                    SettingsField("duplicateGuard", rules.duplicateGuard),
                    SettingsField("controlGroup", rules.controlGroup),
                ]
            ),
        ]
    }

    static func save(_ input: SettingsInput, _ app: App, _ visit: Visit) async throws -> App {
        var input = input
        var guards = SendGuardsUpdate()
        guards.confirmAbove = input.integer("confirmAbove", SendGuards.sizes)
        guards.approveAbove = input.integer("approveAbove", SendGuards.sizes)
        guards.hold = input.integer("hold", SendGuards.holds)
        guards.appliesToKeys = input.flag("appliesToKeys")
        var rules = SendingRules()
        rules.quietHours = quietHours(&input)
        rules.frequencyCaps = (0..<FrequencyCap.maximumCount).compactMap { cap(&input, $0) }
        rules.duplicateGuard = input.optionalInteger("duplicateGuard", 1...60)
        rules.controlGroup = input.optionalInteger("controlGroup", 1...50)
        try input.finish()
        var change = AppUpdate()
        change.sendGuards = app.sendGuards.applying(guards) == app.sendGuards ? nil : guards
        change.sendingRules = rules == app.sendingRules ? nil : rules
        do throws(EngineError) {
            return try await visit.engine.apps.update(app.id, change)
        } catch {
            // The zone is what only the engine knows.
            guard error.isInvalid else { throw error }
            throw FormProblems("quietZone", visit.texts("problem.zone"))
        }
    }

    // MARK: - Private

    private static func caps(_ rules: SendingRules, _ index: Int, _ texts: Texts) -> [SettingsField] {
        let cap = rules.frequencyCaps.indices.contains(index) ? rules.frequencyCaps[index] : nil
        let number = index + 1
        let subjects = FrequencyCap.Subject.allCases.map { ($0.rawValue, texts.word("setting.capPer", $0.rawValue)) }
        return [
            SettingsField("capLimit\(number)", cap?.limit), SettingsField("capPeriod\(number)", cap?.period),
            SettingsField("capPer\(number)", .choice(subjects), (cap?.per ?? .device).rawValue),
            SettingsField("capAdsOnly\(number)", isOn: cap?.adsOnly ?? false),
        ]
    }

    private static func cap(_ input: inout SettingsInput, _ index: Int) -> FrequencyCap? {
        let number = index + 1
        guard input.text("capLimit\(number)") != nil || input.text("capPeriod\(number)") != nil else { return nil }
        return FrequencyCap(
            limit: input.integer("capLimit\(number)", 1...1_000),
            period: input.integer("capPeriod\(number)", 60...2_592_000),
            per: input.choice("capPer\(number)", FrequencyCap.Subject.device),
            adsOnly: input.flag("capAdsOnly\(number)")
        )
    }

    private static func quietHours(_ input: inout SettingsInput) -> QuietHours? {
        guard input.text("quietFrom") != nil || input.text("quietUntil") != nil else { return nil }
        let policy = input.choice("quietPolicy", DelayPolicy.skip)
        func time(_ name: String, _ input: inout SettingsInput) -> TimeOfDay? {
            let time = input.text(name).flatMap { TimeOfDay($0) }
            if time == nil { input.add(name, input.texts("settings.problem.time")) }
            return time
        }
        guard let from = time("quietFrom", &input), let until = time("quietUntil", &input) else { return nil }
        if from == until { input.add("quietUntil", input.texts("settings.problem.sameTime")) }
        return QuietHours(from: from, until: until, policy: policy, zone: input.text("quietZone") ?? "UTC")
    }
}
