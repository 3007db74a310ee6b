// Types that headers name and that Swift nests in others.

public import Foundation

/// The type of the names of notifications.
public typealias NotificationName = Notification.Name
