#if canImport(UIKit)
package import Carillon
import FacadeSupport
import Foundation

extension ToastPushAdapter {
    package typealias Work<Answer> = @MainActor @Sendable (CarillonApp) async throws -> Answer
    package typealias Completion<Answer> = @MainActor @Sendable (Answer?, (any Error)?) -> Void

    /// Creates a change after all earlier calls.
    package func change<Answer: Sendable>(_ completion: Completion<Answer>?, _ work: @escaping Work<Answer>) {
        steps.add { [self] in await run(completion, work) }
    }

    /// Runs a query after all earlier changes, concurrently with other queries.
    package func query<Answer: Sendable>(_ completion: Completion<Answer>?, _ work: @escaping Work<Answer>) {
        let before = steps.current
        Task { [self] in
            await before?.value
            await run(completion, work)
        }
    }

    @MainActor
    private func run<Answer: Sendable>(_ completion: Completion<Answer>?, _ work: Work<Answer>) async {
        let notes = CallNotes(others: dependencies.failures)
        do {
            let answer = try await CallNotes.$current.withValue(notes) { try await work(try startedApp()) }
            completion?(answer, nil)
        } catch {
            completion?(nil, ToastErrors.translate(error, notes.last))
        }
    }

    // MARK: - Tokens

    func register(_ agreement: Consent?, _ completion: Completion<ToastPushTokenInfo>?) {
        guard beginRegistration() else {
            MainThread.run { completion?(nil, ToastPushError(.alreadyInProgress, "A registration is in progress.")) }
            return
        }
        let finish: Completion<ToastPushTokenInfo> = { [self] info, error in
            endRegistration()
            completion?(info, error)
        }
        let user = Result { try identity.registered() }
        change(finish) { [self] app in
            let consent = try agreement ?? identity.readConsent()
            let registered = try await app.register(consent: consent, user: try user.get())
            identity.consent = consent
            guard registered.registration.token != nil else {
                throw ToastPushError(.systemFailed, "The system gave no device token.")
            }
            return ToastPushTokenInfo(registered, pushType: .APNS, deviceID: identity.deviceID)
        }
    }

    func queryTokenInfo(_ completion: @escaping Completion<ToastPushTokenInfo>) {
        query(completion) { [self] app in
            guard let registered = try await app.client.lastRegistration, registered.registration.token != nil else {
                throw ToastPushError.nothingRegistered
            }
            let record = try await app.client.fetchRecord()
            return ToastPushTokenInfo(registered, record: record, deviceID: identity.deviceID)
        }
    }

    func unregister(_ completion: Completion<String?>?) {
        change(completion) { app in
            guard let token = try await app.client.lastRegistration?.registration.token else { return nil }
            // The token first: a Device that registers again for a call must not restore it.
            try await app.client.setDeviceToken(nil)
            try await app.client.unregister()
            return token.hexadecimal
        }
    }

    // MARK: - Tags

    /// Changes or queries tags, after all earlier calls.
    func tags(
        _ completion: Completion<Set<String>>?,
        _ work: @escaping @MainActor @Sendable (CarillonClient) async throws -> Set<TagID>
    ) {
        let user = identity.userID
        change(completion) { app in
            guard user != nil else { throw ToastPushError(.userInvalid, "Tags belong to a user: set a user id.") }
            return Set(try await work(app.client).map(\.rawValue))
        }
    }

    /// The vendor's texts as tag ids.
    static func tagIDs(_ texts: Set<String>) throws(ToastPushError) -> Set<TagID> {
        var tags: Set<TagID> = []
        for text in texts {
            guard let tag = TagID(rawValue: text) else {
                throw ToastPushError(.parameterInvalid, "A tag's id has 8 letters and digits.")
            }
            tags.insert(tag)
        }
        return tags
    }
}
#endif
