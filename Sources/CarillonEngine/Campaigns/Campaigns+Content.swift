package import CarillonModel
package import CarillonOperatorModel

/// A Device for a dry run.
package struct SampleDevice: Hashable, Sendable {
    package var number: DeviceNumber
    package var user: UserID?
    package var consent: ConsentBits
    package var language: String?
    package var timeZone: String?
    /// Whether it has an active token for notifications.
    package var hasToken: Bool

    package init(
        number: DeviceNumber,
        user: UserID?,
        consent: ConsentBits,
        language: String?,
        timeZone: String?,
        hasToken: Bool
    ) {
        self.number = number
        self.user = user
        self.consent = consent
        self.language = language
        self.timeZone = timeZone
        self.hasToken = hasToken
    }
}

extension Campaigns {
    /// Resolves a request's template, values, and the App's labels for ads.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/invalid(_:)`` for an unknown
    ///   template and for values that do not match its fields.
    func resolved(
        _ request: CampaignRequest,
        for app: AppID
    ) async throws(EngineError) -> (request: CampaignRequest, rules: AppContentRules) {
        let rules = try await rules(of: app)
        var message: Message?
        if let template = request.template {
            message = try await stored(try await store.templateMessage(template, of: app))
            guard message != nil else {
                throw .invalid(FieldError(field: "template", problem: "must be a template of the App"))
            }
        }
        do throws(FieldError) {
            var resolved = try request.resolved(message)
            if let wording = resolved.adWording, wording.position == nil {
                resolved.adWording?.position = rules.adWordPosition
            }
            return (resolved, rules)
        } catch {
            throw .invalid(error)
        }
    }

    /// Resolves a changed Campaign's template, values, and the App's labels for ads, as ``resolved(_:for:)`` does for a
    /// new one.
    ///
    /// - Throws: As ``resolved(_:for:)``.
    func resolveContent(of campaign: inout Campaign, _ update: CampaignUpdate) async throws(EngineError) {
        var request = CampaignRequest(audience: campaign.audience, message: campaign.message)
        request.template = update.template
        request.values = update.values
        request.variants = campaign.variants
        request.adWording = campaign.adWording
        request.channel = campaign.channel
        let (resolved, _) = try await resolved(request, for: campaign.app)
        campaign.message = resolved.message
        campaign.variants = resolved.variants
        campaign.adWording = resolved.adWording
    }

    /// Checks and renders a Campaign without saving or sending anything.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - request: The request.
    ///   - device: The Device to render for, if any.
    ///   - estimate: Counts an audience; `nil` leaves the count out.
    /// - Returns: Every payload with its size, when it would begin, and everything that ``create(app:_:for:)`` would refuse.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App or Device.
    package func dryRun(
        app: AppID,
        _ request: CampaignRequest,
        device: DeviceID?,
        estimate: ((Audience) async throws(EngineError) -> AudienceEstimate)? = nil
    ) async throws(EngineError) -> DryRun {
        let now = clock.now()
        let resolved: (request: CampaignRequest, rules: AppContentRules)
        do throws(EngineError) {
            resolved = try await self.resolved(request, for: app)
        } catch {
            guard case .invalid(let problem) = error else { throw error }
            return DryRun(problems: [problem], renderings: [])
        }
        let examined = try await examine(resolved, app: app, at: now)
        let content = examined.content
        var answer = DryRun(problems: examined.problems, renderings: content.rendered.map { content.shown($0) })
        if examined.problems.isEmpty {
            answer.estimate = try await estimate?(examined.request.audience)
            let plan = FiringPlan(examined.campaign, acceptedAt: now)
            answer.startsAt = plan?.first(at: now).map { max($0.dueAt, now) }
            answer.endsAt = plan?.end(devices: answer.estimate?.devices, from: now)
        }
        if let device {
            answer.sample = try await sample(device, app, examined.request, examined.rules, content, at: now)
        }
        return answer
    }

    // MARK: - Private

    private func sample(
        _ device: DeviceID,
        _ app: AppID,
        _ request: CampaignRequest,
        _ rules: AppContentRules,
        _ check: ContentCheck,
        at now: Timestamp
    ) async throws(EngineError) -> DryRun.Sample {
        let found = try await stored(try await store.sample(device, of: app))
        guard let found else { throw .notFound(.device) }
        var sample = DryRun.Sample(device: device)
        sample.reason = Self.skip(found, request, rules, check.editions, at: now)?.rawValue
        let place = check.editions.place(for: found.language)
        guard let rendered = check.rendered.first(where: { $0.edition == check.editions.all[place] }) else {
            return sample
        }
        sample.language = rendered.edition.language
        guard let template = rendered.rendering.template else {
            sample.show(rendered.rendering.bytes)
            return sample
        }
        var values = try await stored(
            try await store.personalValues(of: check.fields, for: [found.number], in: nil, app: app)
        )
        if let recipient = request.recipients?.first(where: { $0.user == found.user }) {
            values.set(recipient.values, of: found.number)
        }
        var payload: [UInt8] = []
        do throws(PersonalTemplate.Refusal) {
            _ = try template.write(found.number, values, into: &payload)
            sample.show(payload)
        } catch {
            switch error {
            case .missingValue: sample.reason = sample.reason ?? SkipReason.missingValue.rawValue
            case .tooLarge: sample.reason = sample.reason ?? OutcomeAccumulator.tooLarge.rawValue
            }
        }
        return sample
    }

    private static func skip(
        _ device: SampleDevice,
        _ request: CampaignRequest,
        _ rules: AppContentRules,
        _ editions: Editions,
        at now: Timestamp
    ) -> SkipReason? {
        guard request.channel == .notification else { return nil }
        guard device.hasToken else { return .noToken }
        let isAd = request.isAd && rules.adRule.covers(language: device.language)
        let night = ZoneNights().night(in: device.timeZone, at: request.sendAt.map { max($0, now) } ?? now)
        if let reason = ConsentRules.skip(device.consent, isAd: isAd, night: night) { return reason }
        guard editions.isKeptFromKoreans, App.AdRule.korean.covers(language: device.language) else { return nil }
        return .noAdWording
    }
}

extension ContentCheck {
    fileprivate func shown(_ rendered: Rendered) -> DryRun.Rendering {
        let (edition, rendering) = (rendered.edition, rendered.rendering)
        let template = rendering.template
        return DryRun.Rendering(
            variant: edition.variant.map { editions.rules.variants[$0].name },
            language: edition.language,
            hasAdWords: edition.hasAdWords,
            bytes: template?.shortestCount ?? rendering.bytes.count,
            mostBytes: template?.longestCount ?? rendering.bytes.count,
            limit: rendering.limit,
            payload: template?.preview ?? String(decoding: rendering.bytes, as: UTF8.self)
        )
    }
}

extension DryRun.Sample {
    fileprivate mutating func show(_ payload: [UInt8]) {
        bytes = payload.count
        self.payload = String(decoding: payload, as: UTF8.self)
    }
}
