import ArgumentParser

extension ServerSetting {
    /// The environment variable, such as `CARILLON_APNS_CA_FILE` for `apns.caFile`.
    var environmentVariable: String {
        var name = "CARILLON_"
        var isAfterLowercase = false
        for character in rawValue {
            if character == "." {
                name.append("_")
                isAfterLowercase = false
                continue
            }
            if character.isUppercase, isAfterLowercase { name.append("_") }
            name.append(contentsOf: character.uppercased())
            isAfterLowercase = character.isLowercase
        }
        return name
    }
}

extension ArgumentHelp {
    /// The help of a flag that sets a setting: with its environment variable and its key in the file.
    static func setting(_ setting: ServerSetting, _ text: String) -> ArgumentHelp {
        ArgumentHelp("\(text) (\(setting.environmentVariable), \(setting.rawValue))")
    }
}
