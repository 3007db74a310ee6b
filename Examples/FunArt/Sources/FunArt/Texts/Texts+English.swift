extension Texts {
    /// English.
    public static let english: Texts = {
        var texts = Texts()
        texts.language = Language.english.rawValue
        texts.appName = "Fun Art"
        texts.writeSignIn()
        texts.writeFailures()
        texts.writeEvents()
        texts.writeBuses()
        texts.writeFollows()
        texts.writeAbout()
        return texts
    }()

    private mutating func writeSignIn() {
        signIn = "Sign in"
        signUp = "Sign up"
        name = "Account"
        password = "Password"
        passwordAgain = "Password again"
        passwordHint = "8 through 256 characters"
        signInError = "You are not signed in"
        signUpError = "You are not signed up"
        confirm = "OK"
        emptyField = "Account and password must not be empty"
        differentPasswords = "The two passwords differ"
        waiting = "One moment"
    }

    private mutating func writeFailures() {
        signedOut = "Please sign in again"
        wrongNameOrPassword = "The account or the password is wrong"
        nameTaken = "Somebody else has this account"
        invalidName = "This name cannot be used"
        invalidPassword = "A password has 8 through 256 characters and is not the account's name"
        tooManyAttempts = "Too many attempts; try again later"
        unreachable = "There is no connection; check the network"
        notificationsDenied = "Allow notifications in the settings first"
        refused = "The server cannot do this"
        stored = "Offline: this is the last answer"
        retry = "Try again"
    }

    private mutating func writeEvents() {
        kinds = "Kinds of events"
        kindNames = ["Music", "Theatre", "Dance", "Family", "Exhibitions", "Lectures", "Films", "Concerts", "Others"]
        period = "How far ahead"
        periodNames = ["One week", "Two weeks", "Three weeks", "Four weeks"]
        search = "Search"
        chooseKind = "Kind"
        noEvents = "No events in this time"
        eventTitle = "Event"
        noSuchEvent = "There is no such event"
        notProvided = "Not provided"
        notAvailable = "N/A"
        place = "Venue"
        address = "Address"
        source = "Tickets from"
        organizer = "Organizer"
        days = "Days"
        session = "Session"
        price = "Price"
        free = "Free"
        tickets = "Tickets"
        map = "Map and buses"
    }

    private mutating func writeBuses() {
        venue = "Venue"
        stops = "Bus stops nearby"
        noStops = "No bus stops nearby"
        showRoutes = "Show routes"
        routes = "Routes"
        noRoutes = "No bus routes here"
        loading = "Loading"
        arrivals = "Arrivals"
        stop = "Stop"
        direction = "Direction"
        outbound = "Out"
        inbound = "Back"
        live = "Live"
        timetable = "Timetable"
        updated = "Updated"
        refresh = "Refresh"
    }

    private mutating func writeFollows() {
        follows = "Following"
        followsHint = "You get a notification when there is a new event."
        places = "Places"
        around = "within one kilometre"
        follow = "Follow"
        unfollow = "Stop following"
        followPlace = "Follow this venue"
        unfollowPlace = "Stop following this venue"
        noPlaces = "Follow a venue on an event's page"
        notifications = "Notifications"
        openNotification = "Open"
    }

    private mutating func writeAbout() {
        about = "About this app"
        aboutShort = "About"
        aboutText =
            "This app shows arts events, the bus stops near them, and when the next bus comes. The data have the form of "
            + "government open data; what they say is made up."
        signedInAs = "Account"
        signOut = "Sign out"
        demonstration = "Demonstration"
        demonstrationHint =
            "Announces a new event; after the next import who follows its kind gets a notification."
        announce = "Announce an event"
        languageTitle = "Language"
        back = "Back"
        skip = "Skip to the content"
        navigation = "Navigation"
    }
}
