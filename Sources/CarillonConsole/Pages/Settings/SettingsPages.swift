/// The settings of an App, and the pages that make and delete one.
enum SettingsPages {
    static func declare(_ routes: inout ConsoleRoutes) {
        GeneralSettings.declare(&routes)
        AppKeyPages.declare(&routes)
        APNsPages.declare(&routes)
        APIKeyPages.declare(&routes)
        AdSettings.declare(&routes)
        SendingSettings.declare(&routes)
        AccountSettings.declare(&routes)
        UserMessageSettings.declare(&routes)
        VendorAPIPages.declare(&routes)
        RetentionSettings.declare(&routes)
        DeleteAppPage.declare(&routes)
    }
}
