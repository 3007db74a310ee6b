import Foundation

extension SimulatedSystem {
    /// Receives a push: wakes the app for a silent one; otherwise runs the service extension and shows the
    /// notification.
    ///
    /// - Parameter push: The push.
    /// - Returns: The result.
    package func receive(_ push: SimulatedPush) async -> SimulatedArrival {
        await Self.$current.withValue(self) { await accept(push) }
    }

    private func accept(_ push: SimulatedPush) async -> SimulatedArrival {
        var arrival = SimulatedArrival(
            presentation: .hidden,
            identifier: push.collapseID ?? UUID().uuidString,
            ranExtension: false,
            extensionTimedOut: false,
            alerted: false
        )
        guard let aps = ApsDictionary(push.payload) else { return arrival }
        if aps.wakesApp, let wake { await wakeApp(with: aps.userInfo, wake) }
        guard aps.hasAlert || aps.aps["badge"] != nil || aps.aps["sound"] != nil else { return arrival }
        // The system neither shows a notification nor runs the extension for an app that may not notify.
        guard permission == .authorized || permission == .provisional else { return arrival }
        var request = UNNotificationRequest(
            identifier: arrival.identifier,
            content: aps.content,
            trigger: UNPushNotificationTrigger()
        )
        // "You cannot modify silent notifications or those that only play a sound or badge the app's icon."
        if aps.isMutable, aps.hasAlert, let makeExtension {
            let outcome = await run(makeExtension(), on: request)
            arrival.ranExtension = true
            arrival.extensionTimedOut = outcome.timedOut
            request = UNNotificationRequest(
                identifier: request.identifier,
                content: outcome.content,
                trigger: request.trigger
            )
        }
        await present(UNNotification(date: now(), request: request), &arrival)
        return arrival
    }

    private func wakeApp(
        with userInfo: [AnyHashable: Any],
        _ wake: @escaping @MainActor @Sendable ([AnyHashable: Any]) async -> Void
    ) async {
        let userInfo = Carried(userInfo)
        if appState == .notRunning {
            appState = .background
            if let launch { await launch(nil) }
        }
        await wake(userInfo.value)
    }

    /// Runs the extension with its time limit; without an answer in time the original content is shown.
    private func run(
        _ serviceExtension: UNNotificationServiceExtension,
        on request: UNNotificationRequest
    ) async -> (content: UNNotificationContent, timedOut: Bool) {
        let answer = FirstAnswer<UNNotificationContent?>()
        let running = Carried((serviceExtension, request))
        let limit = traits.extensionTimeLimit
        let grace = traits.extensionGrace
        let sleep = sleep
        serviceExtension.didReceive(request) { answer.give($0) }
        let watch = Task {
            try await sleep(limit)
            running.value.0.serviceExtensionTimeWillExpire()
            try await sleep(grace)
            answer.giveUp(with: nil)
        }
        let content = await answer.wait().value
        watch.cancel()
        if answer.count > 1 { complain("the extension's content handler was called \(answer.count) times") }
        return (content ?? request.content, content == nil)
    }

    private func present(_ notification: UNNotification, _ arrival: inout SimulatedArrival) async {
        let options = await presentationOptions(for: notification)
        let content = notification.request.content
        let isOnScreen = !options.isDisjoint(with: [.banner, .list])
        if let badge = content.badge, options.contains(.badge) { with { $0.badge = badge.intValue } }
        guard isOnScreen, !(content.title.isEmpty && content.body.isEmpty) else {
            return discardAttachments(of: notification)
        }
        moveAttachments(of: notification)
        let carried = Carried(notification)
        let replaced = with { state in
            let old = state.visible.first { $0.request.identifier == carried.value.request.identifier }
            state.visible.removeAll { $0 === old }
            state.visible.append(carried.value)
            return Carried(old)
        }
        if let old = replaced.value { discardAttachments(of: old) }
        arrival.presentation = replaced.value == nil ? .shown : .replaced
        arrival.alerted = !options.isDisjoint(with: [.banner, .sound]) && content.interruptionLevel != .passive
    }

    /// All options, unless the app is in the foreground: then its delegate decides, and without one nothing is shown.
    private func presentationOptions(for notification: UNNotification) async -> UNNotificationPresentationOptions {
        guard appState == .foreground || appState == .inactive else { return [.banner, .list, .sound, .badge] }
        let answer = FirstAnswer<UNNotificationPresentationOptions>()
        let call = Carried((delegate, center, notification))
        await MainActor.run {
            let (delegate, center, notification) = call.value
            guard let delegate else { return answer.give([]) }
            delegate.userNotificationCenter(center, willPresent: notification) { options in
                self.checkThread(of: "willPresent")
                answer.give(options)
            }
        }
        let options = await answer.wait().value
        if answer.count > 1 { complain("willPresent was answered \(answer.count) times") }
        return options == .unanswered ? [] : options
    }

    private func moveAttachments(of notification: UNNotification) {
        for attachment in notification.request.content.attachments {
            let place = traits.attachmentStore.appendingPathComponent(UUID().uuidString)
                .appendingPathExtension(attachment.url.pathExtension)
            do {
                try FileManager.default.moveItem(at: attachment.url, to: place)
                attachment.url = place
            } catch {
                complain("an attachment's file was missing")
            }
        }
    }

    func discardAttachments(of notification: UNNotification) {
        for attachment in notification.request.content.attachments {
            try? FileManager.default.removeItem(at: attachment.url)
        }
    }
}
