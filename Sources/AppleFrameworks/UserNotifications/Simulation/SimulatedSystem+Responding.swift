import Foundation

extension SimulatedSystem {
    /// A person's action on a notification.
    package enum Gesture: Sendable {
        /// Taps it.
        case tap
        /// Dismisses it.
        case dismiss
        /// Presses a button, with a text if it asks for one.
        case press(action: String, reply: String? = nil)
    }

    /// Acts on a visible notification, and waits until the app has handled it.
    ///
    /// - Parameters:
    ///   - gesture: The person's action.
    ///   - identifier: The notification.
    /// - Returns: Whether the app was notified; false when there is no such notification or button, or when the
    ///   category does not report dismissal.
    @discardableResult
    package func respond(_ gesture: Gesture, to identifier: String) async -> Bool {
        await Self.$current.withValue(self) { await perform(gesture, on: identifier) }
    }

    private func perform(_ gesture: Gesture, on identifier: String) async -> Bool {
        guard let notification = visible.first(where: { $0.request.identifier == identifier }) else { return false }
        let category = categories.first { $0.identifier == notification.request.content.categoryIdentifier }
        switch gesture {
        case .tap:
            guard isOpenToPerson() else { return false }
            remove([identifier])
            return await deliver(
                UNNotificationResponse(
                    notification: notification,
                    actionIdentifier: UNNotificationDefaultActionIdentifier
                ),
                inFront: true
            )
        case .dismiss:
            remove([identifier])
            guard category?.options.contains(.customDismissAction) == true else { return false }
            return await deliver(
                UNNotificationResponse(
                    notification: notification,
                    actionIdentifier: UNNotificationDismissActionIdentifier
                ),
                inFront: false
            )
        case .press(let name, let reply):
            guard let action = category?.actions.first(where: { $0.identifier == name }) else { return false }
            // "If the app isn't unlocked, the system prompts the person": a foreground action always requires it.
            let needsUnlocking = !action.options.isDisjoint(with: [.foreground, .authenticationRequired])
            guard !needsUnlocking || isOpenToPerson() else { return false }
            remove([identifier])
            return await deliver(
                response(to: notification, by: action, reply: reply),
                inFront: action.options.contains(.foreground)
            )
        }
    }

    private func response(
        to notification: UNNotification,
        by action: UNNotificationAction,
        reply: String?
    ) -> UNNotificationResponse {
        guard action is UNTextInputNotificationAction else {
            return UNNotificationResponse(notification: notification, actionIdentifier: action.identifier)
        }
        return UNTextInputNotificationResponse(
            notification: notification,
            actionIdentifier: action.identifier,
            userText: reply ?? ""
        )
    }

    /// Unlocks the phone if the person does so when asked.
    private func isOpenToPerson() -> Bool {
        with { state in
            if state.isLocked, state.unlocksWhenAsked { state.isLocked = false }
            return !state.isLocked
        }
    }

    /// Launches the app if it does not run, and delivers the response; an app that comes to the foreground gets it
    /// before it is active.
    ///
    /// "A scene-based app launches in the background state" (Apple, applicationState); when it leaves it is not documented, so
    /// that the response comes before is the harder of the two.
    private func deliver(_ response: UNNotificationResponse, inFront: Bool) async -> Bool {
        let wasRunning = appState != .notRunning
        if inFront, wasRunning || !traits.usesScenes {
            await becomeInactive()
        } else if !wasRunning {
            appState = .background
        }
        let isDelivered = await handOver(response, wasRunning: wasRunning)
        if inFront, appState == .background { await becomeInactive() }
        await becomeActive()
        return isDelivered
    }

    /// Leaves the background, or begins to launch.
    package func becomeInactive() async {
        let before = with { state in
            defer { if state.appState != .foreground { state.appState = .inactive } }
            return state.appState
        }
        if before == .background, let enterForeground { await enterForeground() }
    }

    /// Makes the app active, unless it was terminated or left meanwhile.
    package func becomeActive() async {
        let isOnItsWay = with { state in
            guard state.appState == .inactive else { return false }
            state.appState = .foreground
            return true
        }
        if isOnItsWay, let activate { await activate() }
    }

    private func handOver(_ response: UNNotificationResponse, wasRunning: Bool) async -> Bool {
        if !wasRunning, let launch {
            let isTap = response.actionIdentifier == UNNotificationDefaultActionIdentifier
            let payload = Carried(isTap ? response.notification.request.content.userInfo : nil)
            tap = response
            await launch(payload.value)
            tap = nil
        }
        guard let delegate else { return false }
        let answer = FirstAnswer<Bool>()
        let call = Carried((delegate, center, response))
        let limit = traits.responseTimeLimit
        let sleep = sleep
        let watch = Task {
            try await sleep(limit)
            answer.giveUp(with: false)
        }
        await MainActor.run {
            let (delegate, center, response) = call.value
            delegate.userNotificationCenter(center, didReceive: response) {
                self.checkThread(of: "a response")
                answer.give(true)
            }
        }
        let isAnswered = await answer.wait().value
        watch.cancel()
        if !isAnswered { complain("a response's completion handler was not called in time") }
        if answer.count > 1 { complain("a response's completion handler was called \(answer.count) times") }
        return true
    }
}

extension SimulatedSystem {
    /// Shows the app's own settings for notifications, as the person chooses in the system's settings.
    ///
    /// - Parameter identifier: The visible notification whose settings are opened; `nil` from the system's settings.
    package func openSettings(for identifier: String? = nil) async {
        await Self.$current.withValue(self) {
            await MainActor.run {
                let notification = visible.first { $0.request.identifier == identifier }
                delegate?.userNotificationCenter(center, openSettingsFor: notification)
            }
        }
    }

    /// The first button of a visible notification.
    ///
    /// - Parameter identifier: The notification.
    /// - Returns: The action's identifier; `nil` when there is no such notification, or it has no button.
    package func firstAction(of identifier: String) -> String? {
        let notification = visible.first { $0.request.identifier == identifier }
        guard let name = notification?.request.content.categoryIdentifier else { return nil }
        return categories.first { $0.identifier == name }?.actions.first?.identifier
    }
}
