#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import UserNotifications

extension NotificationCategory {
    /// The category as the system's type; the system reports dismissal for it too.
    public var systemCategory: UNNotificationCategory {
        UNNotificationCategory(
            identifier: id,
            actions: actions.map(\.systemAction),
            intentIdentifiers: [],
            options: .customDismissAction
        )
    }
}

extension NotificationAction {
    /// The action as the system's type.
    public var systemAction: UNNotificationAction {
        guard let textInput else { return UNNotificationAction(identifier: id, title: title, options: options) }
        return UNTextInputNotificationAction(
            identifier: id,
            title: title,
            options: options,
            textInputButtonTitle: textInput.submit,
            textInputPlaceholder: textInput.hint
        )
    }

    private var options: UNNotificationActionOptions {
        var options: UNNotificationActionOptions = []
        if opensApp { options.insert(.foreground) }
        if isDestructive { options.insert(.destructive) }
        if needsAuthentication { options.insert(.authenticationRequired) }
        return options
    }
}

extension NotificationOptions {
    /// The options of the permission.
    public var authorization: UNAuthorizationOptions {
        var options: UNAuthorizationOptions = [.alert]
        if badge { options.insert(.badge) }
        if sound { options.insert(.sound) }
        return options
    }

    /// What is shown while the app is in the foreground.
    public var presentation: UNNotificationPresentationOptions {
        guard foreground else { return [] }
        var options: UNNotificationPresentationOptions = [.banner, .list]
        if badge { options.insert(.badge) }
        if sound { options.insert(.sound) }
        return options
    }
}
#endif
