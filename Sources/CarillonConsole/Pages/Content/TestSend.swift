import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes

/// "Send to my phone": a test of what is typed, to registered test Devices alone.
enum TestSend {
    /// Sends the message of the form to the Devices that it names, and saves it when the Campaign is a draft.
    ///
    /// A test takes nothing back that was confirmed, or asked about.
    static func send(_ update: CampaignUpdate, of draft: ComposerDraft, _ visit: Visit) async throws -> ComposerEdit {
        guard draft.isEditable else { return .save(update) }
        let devices = visit.form.values("testDevice").compactMap { DeviceID($0) }
        guard !devices.isEmpty, let message = update.message else {
            throw FormProblems("test", visit.texts("content.test.none"))
        }
        guard devices.count <= TestDevicesSend.maximumDevices else {
            throw FormProblems("test", visit.texts("content.test.tooMany"))
        }
        let isSaved = message == draft.campaign.message
        if draft.campaign.state == .draft, !isSaved {
            let version = Int(visit.form.text("version")) ?? 0
            switch try await ComposerDrafts.save(update, of: draft, version: version, from: .draft, visit) {
            case .outdated(let current, let yours):
                let newer = ComposerDraft(current, of: draft.app)
                let view = ComposerConflictView(newer, yours: yours, .content, visit.form, visit.look)
                return .outcome(.other(.conflict, view))
            case .saved:
                // It is saved also when the test is refused.
                visit.audit.note(object: draft.id.description, change: "draft: content")
                visit.audit.noteChanged()
            }
        }
        var request = TestDevicesSend(devices: devices, message: message)
        request.channel = draft.campaign.channel
        request.adWording = draft.adWording
        let test = try await send(request, of: draft.app.id, visit)
        visit.audit.note(object: draft.id.description, change: "test \(test.id): \(devices.count)")
        guard draft.campaign.state == .draft || isSaved else {
            // What is typed stays in the form alone.
            return .again(visit.form.setting([TestSendView.field: test.id.description]))
        }
        let path = AppPath(app: draft.app.id).edit(draft.id, .content)
        return .outcome(.redirect("\(path)?test=\(test.id)#test"))
    }

    /// The engine's refusals, at the button.
    private static func send(_ request: TestDevicesSend, of app: AppID, _ visit: Visit) async throws -> Campaign {
        do throws(EngineError) {
            return try await visit.engine.testDevices.send(app: app, request)
        } catch {
            if case .conflict = error { throw FormProblems("test", visit.texts("content.test.limit")) }
            guard error.fieldErrors.contains(where: { $0.field == "app" }) else { throw error }
            throw FormProblems("test", visit.texts("content.test.noKey"))
        }
    }
}

/// The test Devices, and the answers of APNs to the last test.
struct TestSendView: PageView {
    static let template = "content-test-page"

    /// A test Device that can be chosen.
    struct Phone: Hashable, Sendable {
        let phoneID: String
        let phoneName: String
        let isChosen: Bool
        let lacksToken: Bool
    }

    /// The answer for one Device.
    struct Answer: Hashable, Sendable {
        let answerName: String
        let answerState: PillView
        let answerReason: String?
        let answerAdvice: String?
    }

    /// The field of the test whose answers are shown.
    static let field = "test"

    let heading: String
    let phones: [Phone]
    let hasPhones: Bool
    let problem: String?
    let answers: [Answer]
    let hasAnswers: Bool
    let isWaiting: Bool
    let refreshPath: String
    let pollPath: String
    let settingsPath: String?

    static func read(
        _ draft: ComposerDraft,
        _ form: ContentForm,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> TestSendView {
        let devices = try await visit.engine.testDevices.list(app: draft.app.id, limit: TestDevice.maximumCount).items
        let chosen = Set(form.fields.values("testDevice"))
        let id = (visit.query[field] ?? state.values[field]).flatMap { CampaignID($0) }
        var deliveries: [Delivery]?
        if let id {
            deliveries = try await visit.engine.campaigns.deliveries(
                id,
                within: draft.app.id,
                occurrence: nil,
                cursor: nil,
                limit: 2 * TestDevicesSend.maximumDevices
            ).items
        }
        let sent = try await tested(id, of: draft.app.id, visit)
        return TestSendView(devices, chosen, sent, deliveries ?? [], id, draft, state, visit)
    }

    /// The Devices of a test.
    private static func tested(_ id: CampaignID?, of app: AppID, _ visit: Visit) async throws -> [DeviceID] {
        guard let id else { return [] }
        let campaign = try await visit.engine.campaigns.campaign(id, within: app)
        guard case .devices(let devices) = campaign.audience else { return [] }
        return devices
    }

    private init(
        _ devices: [TestDevice],
        _ chosen: Set<String>,
        _ sent: [DeviceID],
        _ deliveries: [Delivery],
        _ id: CampaignID?,
        _ draft: ComposerDraft,
        _ state: FormState,
        _ visit: Visit
    ) {
        let look = visit.look
        let path = AppPath(app: draft.app.id)
        heading = look.texts("content.test")
        phones = devices.enumerated().map { place, device in
            Phone(
                phoneID: device.device.description,
                phoneName: [device.name, device.owner].compactMap(\.self).joined(separator: " · "),
                isChosen: sent.isEmpty && chosen.isEmpty
                    ? place == 0
                    : sent.contains(device.device) || chosen.contains(device.device.description),
                lacksToken: !device.hasToken
            )
        }
        hasPhones = !devices.isEmpty
        problem = state.problems.first { $0.field == "test" }?.text
        answers = sent.map { sent in
            let name = devices.first { $0.device == sent }?.name ?? sent.description
            return Answer(name, deliveries.first { $0.device == sent }, look)
        }
        hasAnswers = !answers.isEmpty
        isWaiting = deliveries.count < sent.count
        let query = id.map { "?test=\($0)" } ?? ""
        refreshPath = path.edit(draft.id, .content) + query + "#test"
        pollPath = path.edit(draft.id, .content) + "/test" + query
        settingsPath = visit.may(.admin) ? path.testDevices : nil
    }
}

extension TestSendView.Answer {
    fileprivate init(_ name: String, _ delivery: Delivery?, _ look: Look) {
        answerName = name
        guard let delivery else {
            answerState = PillView(words: look.texts("content.test.waiting"), colour: "active")
            (answerReason, answerAdvice) = (nil, nil)
            return
        }
        let colour =
            switch delivery.outcome {
            case .accepted: "good"
            case .skipped: "warn"
            case .failed, .expired: "bad"
            }
        answerState = PillView(words: look.texts.word("outcome", delivery.outcome.rawValue), colour: colour)
        answerReason = delivery.reason
        var reason: ReasonView?
        if let word = delivery.reason {
            reason =
                delivery.outcome == .skipped
                ? ReasonView.skips([word: 1], of: 1, look).first : ReasonView(alarm: word, look)
        }
        let parts = [reason?.reasonMeaning, reason?.advice].compactMap(\.self)
        answerAdvice = parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

extension AppPath {
    /// The page of test Devices.
    var testDevices: String { home + "/settings/test-devices" }
}
