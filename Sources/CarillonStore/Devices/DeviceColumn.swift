import CarillonSQL

/// The columns of `devices`, in the order in which statements name them.
enum DeviceColumn: Int, SQLColumn {
    case number, secretHash, userID, consent, permission, pushType, language, country, timeZone, appVersion, osVersion
    case model, sdkVersion, categories, latitude, longitude, locatedAt, token, tenant, tags, tokenState, tokenAt
    case notificationsSince, adsSince, nightAdsSince, tokenUnconfirmed, vendorRegistered, importedAt
    case registeredAt
    // These do not change as long as the Device exists.
    case createdAt, appID, publicID
}
